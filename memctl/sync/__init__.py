"""Stores of several machines that follow one another: changes travel, through a folder or a hub."""
