/** What an append, a claim and a reading are in the SQL of Postgres. Time is the database's own. */

export interface Statement {
  /** Under which it is prepared, once for each connection. */
  name: string;
  text: string;
}

/**
 * $1 session, $2 epoch, $3 seqs, $4 entries, $5 first seq, $6 last seq, $7 and $8 times of the first and of the last.
 * Gives a row when they fit the session, and writes nothing otherwise. The row of the session is locked, so of two writers
 * the second sees what the first has written.
 */
export const append: Statement = {
  name: "haft_append",
  text: `
    WITH fits AS (
      INSERT INTO haft_sessions AS held (session, epoch, last_seq, created_at, updated_at)
      VALUES ($1, $2, $6, $7, $8)
      ON CONFLICT (session) DO UPDATE SET epoch = excluded.epoch, last_seq = excluded.last_seq,
        created_at = coalesce(held.created_at, excluded.created_at), updated_at = excluded.updated_at
      WHERE held.epoch <= $2 AND (held.last_seq IS NULL OR held.last_seq = $5 - 1)
      RETURNING session
    ), written AS (
      INSERT INTO haft_entries (session, seq, entry)
      SELECT fits.session, line.seq, line.entry
      FROM fits, unnest($3::bigint[], $4::text[]) AS line (seq, entry)
    )
    SELECT 1 FROM fits`,
};

export const held: Statement = {
  name: "haft_held",
  text: "SELECT epoch, last_seq FROM haft_sessions WHERE session = $1",
};

export const read: Statement = {
  name: "haft_read",
  text: "SELECT entry FROM haft_entries WHERE session = $1 AND seq > $2 ORDER BY seq",
};

/** What stands at the places of an append. */
export const readBetween: Statement = {
  name: "haft_read_between",
  text: "SELECT entry FROM haft_entries WHERE session = $1 AND seq BETWEEN $2 AND $3 ORDER BY seq",
};

const now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/** $1 session, $2 worker, $3 ttlMs. Gives the epoch when it is granted, and no row otherwise. */
export const claim: Statement = {
  name: "haft_claim",
  text: `
    INSERT INTO haft_sessions AS held (session, epoch, worker, claimed_until)
    VALUES ($1, 1, $2, ${now} + $3::bigint)
    ON CONFLICT (session) DO UPDATE SET epoch = held.epoch + 1, worker = excluded.worker,
      claimed_until = ${now} + $3::bigint
    WHERE held.claimed_until IS NULL OR held.claimed_until <= ${now}
    RETURNING epoch`,
};

export const claimed: Statement = {
  name: "haft_claimed",
  text: `SELECT worker, epoch, claimed_until - ${now} AS left_ms FROM haft_sessions WHERE session = $1`,
};

/** $1 session, $2 epoch, $3 ttlMs */
export const renew: Statement = {
  name: "haft_renew",
  text: `
    UPDATE haft_sessions SET claimed_until = ${now} + $3::bigint
    WHERE session = $1 AND epoch = $2 AND worker IS NOT NULL RETURNING epoch`,
};

export const release: Statement = {
  name: "haft_release",
  text: "UPDATE haft_sessions SET worker = NULL, claimed_until = NULL WHERE session = $1 AND epoch = $2",
};

export const list: Statement = {
  name: "haft_list",
  text: `
    SELECT session, created_at, updated_at, CASE WHEN claimed_until > ${now} THEN worker END AS worker, last_seq + 1 -
      (SELECT min(seq) FROM haft_entries WHERE haft_entries.session = haft_sessions.session) AS entries
    FROM haft_sessions WHERE last_seq IS NOT NULL ORDER BY updated_at DESC, session COLLATE "C" LIMIT $1`,
};

export const migrationsMade: Statement = { name: "haft_migrations_made", text: "SELECT name FROM haft_migrations" };
