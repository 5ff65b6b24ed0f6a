"""Does a benchmark predict what it is for? Answers that policies write, and how well rankings of reward models agree.

`best_of_n` has reward models choose among a policy's candidates, `ppo` trains policies with them, `correlate` compares
what a benchmark says of reward models with what they bring there, `study` does all of it for a list of them.
"""
