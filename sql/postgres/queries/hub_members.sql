-- name: read_cards
-- All cards.
SELECT card FROM memctl.cards ORDER BY replica

-- name: put_card
-- The card of a replica of one's own, in place of its earlier one.
INSERT INTO memctl.cards (replica, member, login, card)
VALUES (%(replica)s, memctl.my_name(), session_user, %(card)b)
ON CONFLICT (replica) DO UPDATE SET card = excluded.card, login = excluded.login, at = now()

-- name: has_card
-- Whether a replica has a card already.
SELECT EXISTS (SELECT 1 FROM memctl.cards WHERE replica = %(replica)s)

-- name: set_password
-- Give one's own login another password, by what the server compares it with.
ALTER ROLE CURRENT_USER PASSWORD {verifier}

-- name: end_other_sessions
-- End what else is logged in with one's own login.
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE usename = session_user AND pid <> pg_backend_pid()

-- name: read_removals
-- All removals.
SELECT removal FROM memctl.removals ORDER BY digest

-- name: put_removal
-- The removal of a member or of machines of one.
INSERT INTO memctl.removals (digest, member, removal) VALUES (%(digest)s, %(member)s, %(removal)b)
ON CONFLICT (digest) DO NOTHING

-- name: admit
-- Make a login for a member.
SELECT memctl.admit(%(login)s, %(verifier)s, %(member)s, %(is_admin)s, %(streams)s)

-- name: retire
-- Take all logins of a member away, or those of some machines; how many there were.
SELECT memctl.retire(%(member)s, %(machines)s)

-- name: close_stream
-- Let only those members see a stream to whom it is granted, or all again.
UPDATE memctl.streams SET is_open = %(is_open)s WHERE stream = %(stream)s

-- name: grant_stream
-- Let a member take part in a stream.
INSERT INTO memctl.grants (stream, member, granted_by)
VALUES (%(stream)s, %(member)s, memctl.my_name()) ON CONFLICT DO NOTHING

-- name: revoke_stream
-- Let a member no longer take part in a stream.
DELETE FROM memctl.grants WHERE stream = %(stream)s AND member = %(member)s
