"""Storage: the only package that runs SQL.

Every function takes the open `Database` first. Functions that change something are called inside
`db.write()`.
"""
