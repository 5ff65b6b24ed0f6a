"""`prbgen ppo prepare`: questions of users, apart from those of benchmarks, as verl and others train on them."""
