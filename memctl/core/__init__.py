"""What everything stands on: the words of the model, errors, the clock, frozen classes."""
