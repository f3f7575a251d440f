import { forAllSites } from './earlier/all-sites.ts'
import { forEachSite } from './earlier/each-site.ts'

/**
 * The statements that create the tables of the journal, one entry for each version of the schema, in the order in which
 * they are run. A new entry goes to the end of this list, and `node schemas/generate.ts` adds what it makes to the tables
 * of a new journal; the oldest ones are in `earlier/`. A released entry is never changed: a later one alters what it
 * created. `PRAGMA user_version` counts the entries that were run.
 *
 * Times are milliseconds since 1970. An absent application or expected digest is the empty string if it is part of a
 * key.
 */
export const migrations: readonly string[] = [
  ...forAllSites,
  ...forEachSite,
  // What ran on one site is read without looking at the other sites.
  'CREATE INDEX version_by_site ON version (site, id)',
  // The versions that an application can be gone back to, each by the commit that wants it.
  `
  CREATE TABLE kept_release (
    id INTEGER PRIMARY KEY,
    environment TEXT NOT NULL, application TEXT NOT NULL, version TEXT NOT NULL,
    commit_id TEXT NOT NULL, mark TEXT NOT NULL, images TEXT NOT NULL, instead_of TEXT, at INTEGER NOT NULL,
    UNIQUE (environment, application, version)
  ) STRICT;
  `,
  // The versions of an application that reached a site, in the order in which they did.
  `
  CREATE TABLE queue_entry (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    environment TEXT NOT NULL, site TEXT NOT NULL, application TEXT NOT NULL,
    version TEXT, commit_id TEXT NOT NULL, content TEXT NOT NULL, from_patterns TEXT,
    state TEXT NOT NULL DEFAULT 'waiting', forced INTEGER NOT NULL DEFAULT 0, at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX queue_entry_of_application ON queue_entry (environment, site, application, number);
  `,
  // What brings a version to the sites of its deployment, one batch after the other.
  `
  CREATE TABLE run (
    id INTEGER PRIMARY KEY, environment TEXT NOT NULL, deployment TEXT NOT NULL, application TEXT NOT NULL,
    version TEXT NOT NULL, content TEXT NOT NULL, seed INTEGER NOT NULL, at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX run_by_application ON run (environment, application, id);
  CREATE TABLE run_fact (
    id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    kind TEXT NOT NULL, subject TEXT NOT NULL, detail TEXT, at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX run_fact_by_run ON run_fact (run_id, id);
  CREATE TABLE placement (
    environment TEXT NOT NULL, deployment TEXT NOT NULL, body TEXT NOT NULL, sites TEXT NOT NULL,
    canaries TEXT NOT NULL, PRIMARY KEY (environment, deployment)
  ) STRICT, WITHOUT ROWID;
  `,
  // At which version somebody holds an application.
  `
  CREATE TABLE held_version (
    environment TEXT NOT NULL, application TEXT NOT NULL,
    version TEXT NOT NULL, commit_id TEXT NOT NULL,
    reason TEXT NOT NULL, who TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (environment, application)
  ) STRICT, WITHOUT ROWID;
  `,
  // With which version of its application a service was as wanted.
  'ALTER TABLE applied ADD COLUMN version TEXT',
  // Why deployments are not carried out as they are written, and since when.
  `
  CREATE TABLE obstacle (
    environment TEXT NOT NULL, deployment TEXT NOT NULL, application TEXT NOT NULL, version TEXT,
    code TEXT NOT NULL, reason TEXT NOT NULL, hint TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (environment, deployment)
  ) STRICT, WITHOUT ROWID;
  `,
  // The versions of an application in the order in which commits brought them, from which the queue of each site
  // follows, and what people said about versions that wait. Each version that is kept says from where it may be reached.
  `
  DROP TABLE queue_entry;
  CREATE TABLE release_entry (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    environment TEXT NOT NULL, application TEXT NOT NULL, version TEXT NOT NULL, at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX release_entry_of_application ON release_entry (environment, application, id);
  INSERT INTO release_entry (environment, application, version, at)
    SELECT environment, application, version, at FROM kept_release ORDER BY id;
  ALTER TABLE kept_release ADD COLUMN paths TEXT;
  ALTER TABLE kept_release ADD COLUMN is_way INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE queue_word (
    environment TEXT NOT NULL, site TEXT NOT NULL, application TEXT NOT NULL, version TEXT NOT NULL,
    entry INTEGER NOT NULL, word TEXT NOT NULL, who TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (environment, site, application, version)
  ) STRICT, WITHOUT ROWID;
  `,
  // One approval covers all releases by which a service gets to the wanted one.
  `
  CREATE TABLE new_target (
    approval_id INTEGER NOT NULL REFERENCES approval (id) ON DELETE CASCADE,
    target INTEGER NOT NULL, service TEXT NOT NULL, action TEXT NOT NULL, release TEXT NOT NULL,
    PRIMARY KEY (approval_id, target, service, release)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO new_target SELECT approval_id, target, service, action, release FROM approval_target;
  CREATE TABLE new_over (
    approval_id INTEGER NOT NULL REFERENCES approval (id) ON DELETE CASCADE,
    site TEXT NOT NULL, application TEXT NOT NULL, service TEXT NOT NULL, release TEXT NOT NULL,
    PRIMARY KEY (approval_id, site, application, service, release)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO new_over
    SELECT past.approval_id, past.site, past.application, past.service, item.release
      FROM approval_over AS past
      JOIN approval_site AS part ON part.approval_id = past.approval_id AND part.site = past.site
        AND part.application = past.application
      JOIN approval_target AS item ON item.approval_id = past.approval_id AND item.target = part.target
        AND item.service = past.service;
  DROP TABLE approval_over;
  DROP TABLE approval_target;
  ALTER TABLE new_target RENAME TO approval_target;
  ALTER TABLE new_over RENAME TO approval_over;
  `,
  // The marks of those who wrote to a site, as JSON, when this journal had the claim there last.
  `
  CREATE TABLE last_writer (
    environment TEXT NOT NULL, site TEXT NOT NULL, marks TEXT NOT NULL, PRIMARY KEY (environment, site)
  ) STRICT, WITHOUT ROWID;
  `,
  // With which sites a deployment was evaluated.
  `
  ALTER TABLE placement ADD COLUMN known TEXT;
  `,
  // Which version of its application an attempt brings, and the commit that wants it.
  `
  ALTER TABLE attempt ADD COLUMN commit_id TEXT;
  ALTER TABLE attempt ADD COLUMN version TEXT;
  `,
  // What is under way on all sites is found without a look at everything that was.
  "CREATE INDEX attempt_open ON attempt (environment) WHERE phase = 'open'",
  // What managers of Swarms told of services right after they were changed.
  `
  CREATE TABLE service_mark (
    environment TEXT NOT NULL, site TEXT NOT NULL, id TEXT NOT NULL, fingerprint TEXT NOT NULL, mark TEXT NOT NULL,
    PRIMARY KEY (environment, site, id)
  ) STRICT, WITHOUT ROWID;
  `,
  // Which version failed on the way to that of a run.
  'ALTER TABLE run_fact ADD COLUMN step TEXT',
  // When somebody went back from a version without a commit.
  'ALTER TABLE release_entry ADD COLUMN left_at INTEGER',
  // On which approvals passes rest. What is told of the passes so far is what was told before.
  `
  CREATE TABLE pass_approval (
    pass_id INTEGER NOT NULL REFERENCES pass (id) ON DELETE CASCADE,
    approval_id INTEGER NOT NULL REFERENCES approval (id) ON DELETE CASCADE,
    PRIMARY KEY (pass_id, approval_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX pass_approval_by_approval ON pass_approval (approval_id);
  INSERT OR IGNORE INTO pass_approval
    SELECT pass.id, given.approval_id FROM pass
      JOIN plan_change AS part ON part.plan_id = pass.plan_id
      JOIN approval_site AS given ON given.environment = pass.environment AND given.site = part.site
        AND given.application = part.application
      JOIN approval_target AS item ON item.approval_id = given.approval_id AND item.target = given.target
        AND item.service = part.service AND item.release = part.release
        AND (item.action = 'remove') = (part.action = 'remove')
      JOIN approval ON approval.id = given.approval_id
        AND approval.at <= coalesce(pass.ended_at, approval.at) AND approval.expires_at > pass.started_at
      WHERE NOT EXISTS
        (SELECT 1 FROM approval_site AS later
           JOIN approval_target AS newer ON newer.approval_id = later.approval_id
             AND newer.target = later.target AND newer.service = item.service AND newer.release <> item.release
           JOIN approval AS told ON told.id = later.approval_id AND told.at <= pass.started_at
           WHERE later.environment = pass.environment AND later.site = given.site
             AND later.application = given.application AND later.approval_id > given.approval_id);
  `,
  // Which deployment an answer was about, whose application that is, and on its way to which version.
  `
  ALTER TABLE answer ADD COLUMN deployment TEXT;
  ALTER TABLE answer ADD COLUMN application TEXT;
  ALTER TABLE answer ADD COLUMN version TEXT;
  `,
  // How often something was made on a site, by which a later state of this journal is told from this one.
  `
  CREATE TABLE made (
    environment TEXT NOT NULL, site TEXT NOT NULL, times INTEGER NOT NULL, PRIMARY KEY (environment, site)
  ) STRICT, WITHOUT ROWID;
  `,
  // Which Swarm a site is, and since when that is another one than the one on which something ran.
  `
  CREATE TABLE swarm (
    environment TEXT NOT NULL, site TEXT NOT NULL, id TEXT NOT NULL, anew_at INTEGER, PRIMARY KEY (environment, site)
  ) STRICT, WITHOUT ROWID;
  `,
  // As which site each engine was served last.
  `
  CREATE TABLE served_engine (
    environment TEXT NOT NULL, engine TEXT NOT NULL, site TEXT NOT NULL, endpoint TEXT NOT NULL,
    PRIMARY KEY (environment, engine)
  ) STRICT, WITHOUT ROWID;
  `,
  // What each pass reads of the runs of an application: not all that happened in them.
  "CREATE INDEX run_fact_judged ON run_fact (run_id, id) WHERE kind IN ('failed', 'word')",
  // Which changes of its plan each pass began. Of earlier passes it is not known.
  `
  CREATE TABLE pass_change (
    pass_id INTEGER NOT NULL REFERENCES pass (id) ON DELETE CASCADE,
    application TEXT NOT NULL, service TEXT NOT NULL,
    PRIMARY KEY (pass_id, application, service)
  ) STRICT, WITHOUT ROWID;
  `,
  // Whether a kept version failed somewhere, and whether it ran as it was wanted somewhere.
  `
  ALTER TABLE kept_release ADD COLUMN failed INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE kept_release ADD COLUMN ran INTEGER NOT NULL DEFAULT 0;
  `,
  // Which applications the last good commit names.
  'ALTER TABLE last_good ADD COLUMN applications TEXT',
  // What a site was to have on which a version failed.
  'ALTER TABLE run_fact ADD COLUMN content TEXT',
  // Of which applications something was rejected. Of earlier rejections it is not known.
  'ALTER TABLE discard ADD COLUMN applications TEXT',
  // Which versions were wanted, in which order, and not only there while a deployment named another one. What came after
  // the version that a deployment names was only there.
  `
  ALTER TABLE release_entry ADD COLUMN wanted_seq INTEGER;
  UPDATE release_entry AS entry SET wanted_seq = id
    WHERE id <= coalesce(
      (SELECT max(named.id) FROM release_entry AS named
         JOIN placement ON placement.environment = named.environment
           AND json_extract(placement.body, '$.application') = named.application
           AND json_extract(placement.body, '$.version') = named.version
         WHERE named.environment = entry.environment AND named.application = entry.application),
      id);
  CREATE INDEX release_entry_by_wanted ON release_entry (wanted_seq);
  `,
  // As what the version was kept that failed. What failed after its commit cannot be told.
  `
  ALTER TABLE quarantine ADD COLUMN mark TEXT;
  UPDATE quarantine SET mark =
    (SELECT mark FROM kept_release AS kept WHERE kept.environment = quarantine.environment
       AND kept.application = quarantine.application AND kept.commit_id = quarantine.commit_id);
  `,
  // What of each approval has begun, and whether somebody went back to another version since. Of earlier approvals it is
  // known only that something has.
  `
  CREATE TABLE approval_begun (
    approval_id INTEGER NOT NULL REFERENCES approval (id) ON DELETE CASCADE,
    site TEXT NOT NULL, application TEXT NOT NULL, service TEXT NOT NULL, release TEXT NOT NULL,
    PRIMARY KEY (approval_id, site, application, service, release)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO approval_begun
    SELECT part.approval_id, part.site, part.application, item.service, item.release FROM approval_site AS part
      JOIN approval_target AS item ON item.approval_id = part.approval_id AND item.target = part.target
      WHERE part.begun = 1;
  ALTER TABLE approval_site DROP COLUMN begun;
  ALTER TABLE approval_site ADD COLUMN is_left INTEGER NOT NULL DEFAULT 0;
  `,
  // After which answer a rejection was given, and after which change of a wanted version an approval. Of earlier ones
  // only the times are known.
  `
  ALTER TABLE discard ADD COLUMN answers INTEGER;
  ALTER TABLE approval ADD COLUMN wanted_seq INTEGER;
  `,
  // Of which service a deploy failed or succeeded. Of earlier ones it is not known, so they count for all services of the
  // application. What is barred did not succeed last.
  `
  ALTER TABLE barred RENAME TO barred_before;
  ALTER TABLE deployed RENAME TO deployed_before;
  CREATE TABLE barred (
    environment TEXT NOT NULL, site TEXT NOT NULL, application TEXT NOT NULL, service TEXT NOT NULL,
    digest TEXT NOT NULL, message TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (environment, site, application, service, digest)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE deployed (
    environment TEXT NOT NULL, site TEXT NOT NULL, application TEXT NOT NULL, service TEXT NOT NULL,
    digest TEXT NOT NULL, failed INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (environment, site, application, service, digest)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO barred SELECT environment, site, application, '', digest, message, at FROM barred_before;
  INSERT INTO deployed SELECT environment, site, application, '', digest, 0 FROM deployed_before
    WHERE NOT EXISTS (SELECT 1 FROM barred
      WHERE barred.environment = deployed_before.environment AND barred.site = deployed_before.site
        AND barred.application = deployed_before.application AND barred.digest = deployed_before.digest);
  DROP TABLE barred_before;
  DROP TABLE deployed_before;
  `,
  // Which job of an attempt began last, and whether it is over. Of those that are open it is not known.
  `
  ALTER TABLE attempt ADD COLUMN job TEXT;
  ALTER TABLE attempt ADD COLUMN job_begun_at INTEGER;
  ALTER TABLE attempt ADD COLUMN job_over INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE attempt ADD COLUMN is_job_unknown INTEGER NOT NULL DEFAULT 0;
  UPDATE attempt SET is_job_unknown = 1 WHERE phase = 'open';
  `,
  // How the volumes of a service were made. Of earlier ones it is not known.
  'ALTER TABLE applied ADD COLUMN volumes TEXT',
  // What says nothing any more of a site that reaches a version is found without a look at all that happened in a run.
  `
  CREATE INDEX run_fact_of_site ON run_fact (run_id, subject, id)
    WHERE kind IN ('reached', 'stopped', 'silent', 'hindered');
  CREATE INDEX run_fact_of_all ON run_fact (run_id, id)
    WHERE kind IN ('had', 'batch', 'renamed', 'joined', 'failed', 'word');
  `,
  // Which engine a site was, and which discarded plans are old, is found without a look at those of all sites.
  `
  CREATE INDEX served_engine_of_site ON served_engine (site);
  CREATE INDEX discard_at ON discard (at);
  `,
  // How long an attempt has waited for what is no part of it, and since when it does. Of earlier ones it is not known.
  `
  ALTER TABLE attempt ADD COLUMN waited_ms INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE attempt ADD COLUMN waits_since INTEGER;
  `,
  // Which versions had entered, and which had been wanted, when a release failed. Of earlier ones only the times are known.
  `
  ALTER TABLE quarantine ADD COLUMN entry INTEGER;
  ALTER TABLE quarantine ADD COLUMN wanted_seq INTEGER;
  `,
  // How many passes are on record of each site, and of all, by which room is made where there are most. Those of a site that
  // are too old are found without a look at those of the others.
  `
  CREATE TABLE pass_count (
    environment TEXT NOT NULL, site TEXT NOT NULL, passes INTEGER NOT NULL, PRIMARY KEY (environment, site)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX pass_count_by_size ON pass_count (passes);
  CREATE TABLE pass_total (id INTEGER PRIMARY KEY, passes INTEGER NOT NULL) STRICT;
  INSERT INTO pass_count SELECT environment, site, count(*) FROM pass GROUP BY environment, site;
  INSERT INTO pass_total SELECT 1, count(*) FROM pass HAVING count(*) > 0;
  DROP INDEX pass_by_age;
  CREATE INDEX pass_by_age ON pass (environment, site, seen_at);
  `,
  // Through which site each registry was reached last. Nobody knows it of earlier ones.
  `
  CREATE TABLE reached_registry (
    environment TEXT NOT NULL, host TEXT NOT NULL, site TEXT NOT NULL,
    PRIMARY KEY (environment, host)
  ) STRICT, WITHOUT ROWID;
  `,
  // Which versions were wanted while they could not be had. Of earlier ones it is not known.
  `
  CREATE TABLE absent_version (
    environment TEXT NOT NULL, application TEXT NOT NULL, version TEXT NOT NULL, at INTEGER NOT NULL,
    wanted_seq INTEGER NOT NULL, PRIMARY KEY (environment, application, version)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX absent_version_by_wanted ON absent_version (wanted_seq);
  `,
  // What may be long is in tables that are searched by an index. Without a rowid, SQLite reads each row that it compares as a
  // whole: of a plan of ten thousand services, once for each of its changes.
  `
  CREATE TABLE plan_body (
    plan_id TEXT NOT NULL UNIQUE REFERENCES plan (id) ON DELETE CASCADE, body TEXT NOT NULL
  ) STRICT;
  INSERT INTO plan_body SELECT id, body FROM plan;
  ALTER TABLE plan DROP COLUMN body;
  ALTER TABLE last_state RENAME TO last_state_before;
  CREATE TABLE last_state (
    environment TEXT NOT NULL, site TEXT NOT NULL, body TEXT NOT NULL, seen_at INTEGER NOT NULL,
    PRIMARY KEY (environment, site)
  ) STRICT;
  INSERT INTO last_state SELECT environment, site, body, seen_at FROM last_state_before;
  DROP TABLE last_state_before;
  ALTER TABLE route RENAME TO route_before;
  CREATE TABLE route (
    environment TEXT NOT NULL, site TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (environment, site)
  ) STRICT;
  INSERT INTO route SELECT environment, site, body FROM route_before;
  DROP TABLE route_before;
  ALTER TABLE placement RENAME TO placement_before;
  CREATE TABLE placement (
    environment TEXT NOT NULL, deployment TEXT NOT NULL, body TEXT NOT NULL, sites TEXT NOT NULL,
    canaries TEXT NOT NULL, known TEXT, PRIMARY KEY (environment, deployment)
  ) STRICT;
  INSERT INTO placement SELECT environment, deployment, body, sites, canaries, known FROM placement_before;
  DROP TABLE placement_before;
  `,
]
