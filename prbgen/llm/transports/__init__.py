"""The ways to reach a model: providers through LiteLLM, the embedded model, a script."""
