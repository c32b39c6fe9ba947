-- Meaning beside words, where the server has the extension `vector` (its schema: {vectors}). A hub
-- without it stays at version 1 and is searched by words alone.

-- Of the built-in model. Other models' vectors are not compared, so they are not brought here.
ALTER TABLE memctl.records ADD COLUMN vector {vectors}.vector(384);
ALTER TABLE memctl.records ALTER COLUMN vector SET STORAGE PLAIN;
CREATE INDEX records_vector ON memctl.records USING hnsw (vector {vectors}.vector_cosine_ops);

-- The records nearest to a vector. Where the asking member sees few, all of them are compared, which is
-- exact; among many the index is asked for more than is wanted, as it knows nothing of streams.
CREATE FUNCTION memctl.find_by_meaning(
  asked {vectors}.vector, of_model text, only_streams text[], statuses text[], types text[],
  kinds text[], scopes text[], with_tags text[], since text, until text, lowest real, moment text,
  compared integer, most integer
) RETURNS TABLE (stream text, member text, record text, cosine real)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  visible text[] := ARRAY(
    SELECT s FROM memctl.my_streams() AS s WHERE only_streams IS NULL OR s = ANY (only_streams)
  );
  seen integer := (
    SELECT count(*) FROM (
      SELECT 1 FROM memctl.records r WHERE r.stream = ANY (visible) LIMIT compared + 1
    ) AS counted
  );
BEGIN
  IF seen > compared THEN
    PERFORM set_config('hnsw.ef_search', least(1000, greatest(100, 4 * most))::text, true);
    IF (SELECT string_to_array(split_part(e.extversion, '-', 1), '.')::integer[] >= ARRAY[0, 8]
        FROM pg_extension e WHERE e.extname = 'vector') THEN
      PERFORM set_config('hnsw.iterative_scan', 'relaxed_order', true);
    END IF;
    RETURN QUERY
    SELECT r.stream, r.member, r.record, (1 - (r.vector OPERATOR({vectors}.<=>) asked))::real
    FROM memctl.records r
    WHERE r.model = of_model AND r.stream = ANY (visible) AND r.status = ANY (statuses)
      AND (types IS NULL OR r.type = ANY (types)) AND (kinds IS NULL OR r.kind = ANY (kinds))
      AND (scopes IS NULL OR r.scope = ANY (scopes)) AND (with_tags IS NULL OR r.tags @> with_tags)
      AND (since IS NULL OR r.observed_at >= since) AND (until IS NULL OR r.observed_at < until)
      AND (lowest IS NULL OR r.confidence >= lowest)
      AND (r.valid_from IS NULL OR r.valid_from <= moment)
      AND (r.valid_until IS NULL OR r.valid_until > moment)
    ORDER BY r.vector OPERATOR({vectors}.<=>) asked LIMIT most;
  ELSE
    RETURN QUERY
    SELECT r.stream, r.member, r.record, (1 - (r.vector OPERATOR({vectors}.<=>) asked))::real AS near
    FROM memctl.records r
    WHERE r.model = of_model AND r.vector IS NOT NULL AND r.stream = ANY (visible)
      AND r.status = ANY (statuses)
      AND (types IS NULL OR r.type = ANY (types)) AND (kinds IS NULL OR r.kind = ANY (kinds))
      AND (scopes IS NULL OR r.scope = ANY (scopes)) AND (with_tags IS NULL OR r.tags @> with_tags)
      AND (since IS NULL OR r.observed_at >= since) AND (until IS NULL OR r.observed_at < until)
      AND (lowest IS NULL OR r.confidence >= lowest)
      AND (r.valid_from IS NULL OR r.valid_from <= moment)
      AND (r.valid_until IS NULL OR r.valid_until > moment)
    ORDER BY near DESC, r.record LIMIT most;
  END IF;
END $$;

REVOKE ALL ON FUNCTION memctl.find_by_meaning({vectors}.vector, text, text[], text[], text[], text[],
  text[], text[], text, text, real, text, integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memctl.find_by_meaning({vectors}.vector, text, text[], text[], text[], text[],
  text[], text[], text, text, real, text, integer, integer) TO {members};
