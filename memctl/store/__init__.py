"""The storage seam: one topic, one module, one file of statements. Nothing above knows the dialect.

Every function takes the open `Database` first. Functions that change something are called inside `db.write()`.
"""
