"""Benchmarks of people's votes, PRISM and Chatbot Arena, read as pairs whose profiles are the asker's other votes."""
