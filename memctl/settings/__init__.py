"""Settings: config.yaml, the environment, policy, the terminal, the project folder."""
