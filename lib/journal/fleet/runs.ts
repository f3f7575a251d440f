import { asKnownNow } from '../../state/fleet/as-known-now.ts'
import { isOfOneSite, withoutSuperseded } from '../../state/fleet/facts-that-count.ts'
import type { DeploymentRun, JudgedRun, RecordedFact, RunFact } from '../../state/fleet/run.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, text } from '../store/row.ts'
import { factOf, kinds, partsOfFact } from './fact-row.ts'

/** The runs of deployments, and what happened in them. */
export type Runs = {
  /**
   * Begins a run with what happens in it at once. Of those before the last five of an application only failures and words
   * are kept, which say whether their versions may be installed elsewhere (A33). Those before the last 32 are forgotten, as their versions are (A65).
   */
  beginRun(run: Omit<DeploymentRun, 'id'>, facts?: readonly RecordedFact[]): DeploymentRun
  /** Records what the version of a run consists of now, as a hash (A11). Returns the run with it. */
  setContent(run: DeploymentRun, content: string): DeploymentRun
  /** Returns the newest run of an application in an environment. */
  run(environment: string, application: string): DeploymentRun | undefined
  /** Returns the last runs of an application of which everything is kept, the newest first. */
  lastRuns(environment: string, application: string): readonly DeploymentRun[]
  /** Returns the newest run that brought a version, if it is on record. */
  runOf(environment: string, application: string, version: string): DeploymentRun | undefined
  /**
   * Returns the newest run of each version of an application, oldest first, with what failed in it and was said since
   * somebody last let it go on.
   */
  judgedRuns(environment: string, application: string): readonly JudgedRun[]
  /** Records that something happened in a run. What says nothing any more because of that is forgotten. */
  addFact(run: number, fact: RecordedFact): void
  /** Returns what happened in a run after that entry, in that order, each with its entry. `after` 0: everything. */
  facts(run: number, after: number): readonly { readonly entry: number; readonly fact: RecordedFact }[]
}

/** Returns everything that happened in a run, in that order, as it is known now. */
export function runFacts({ facts }: Pick<Runs, 'facts'>, { id }: DeploymentRun): readonly RunFact[] {
  return asKnownNow(facts(id, 0).map(({ fact }) => fact))
}

const [complete, kept] = [5, 32]

/** Keeps runs in a database. */
export function runsIn(database: Database): Runs {
  return {
    beginRun: (run, facts = []) =>
      database.transaction(() => {
        const { environment, deployment, application, version, content, seed, atMs } = run
        const row = database.get(
          `INSERT INTO run (environment, deployment, application, version, content, seed, at)
             VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING *`,
          environment,
          deployment,
          application,
          version,
          content,
          seed,
          atMs,
        )
        database.run(
          `DELETE FROM run WHERE environment = ?1 AND application = ?2 AND id <= (
             SELECT id FROM run WHERE environment = ?1 AND application = ?2 ORDER BY id DESC LIMIT 1 OFFSET ${kept})`,
          environment,
          application,
        )
        database.run(
          `DELETE FROM run_fact WHERE kind NOT IN ('failed', 'word') AND run_id = (
             SELECT id FROM run WHERE environment = ? AND application = ? ORDER BY id DESC LIMIT 1 OFFSET ${complete})`,
          environment,
          application,
        )
        if (row === undefined) return { ...run, id: 0 }
        insertFacts(database, integer(row, 'id'), facts)
        return runOf(row)
      }),
    setContent: (run, content) => {
      database.run('UPDATE run SET content = ? WHERE id = ?', content, run.id)
      return { ...run, content }
    },
    run: (environment, application) => {
      const row = database.get(
        'SELECT * FROM run WHERE environment = ? AND application = ? ORDER BY id DESC LIMIT 1',
        environment,
        application,
      )
      return row && runOf(row)
    },
    lastRuns: (environment, application) =>
      database
        .all(
          `SELECT * FROM run WHERE environment = ? AND application = ? ORDER BY id DESC LIMIT ${complete}`,
          environment,
          application,
        )
        .map(runOf),
    runOf: (environment, application, version) => {
      const row = database.get(
        'SELECT * FROM run WHERE environment = ? AND application = ? AND version = ? ORDER BY id DESC LIMIT 1',
        environment,
        application,
        version,
      )
      return row && runOf(row)
    },
    judgedRuns: (environment, application) => {
      const rows = database.all(
        `SELECT newest.run, newest.run_version, run_fact.* FROM (
           SELECT max(id) AS run, version AS run_version FROM run
             WHERE environment = ? AND application = ? GROUP BY version
         ) AS newest LEFT JOIN run_fact ON run_fact.run_id = newest.run AND run_fact.kind IN ('failed', 'word')
           AND run_fact.id > coalesce(
             (SELECT id FROM run_fact WHERE run_id = newest.run AND kind IN ('failed', 'word')
                AND kind = 'word' AND subject = 'resume' ORDER BY id DESC LIMIT 1), 0)
           ORDER BY newest.run, run_fact.id`,
        environment,
        application,
      )
      return [...Map.groupBy(rows, row => integer(row, 'run')).values()].flatMap(own =>
        own.slice(0, 1).map(row => ({
          of: { id: integer(row, 'run'), version: text(row, 'run_version') },
          facts: asKnownNow(own.filter(({ kind }) => kind !== null).map(factOf)),
        })),
      )
    },
    addFact: (run, fact) =>
      database.transaction(() => {
        insertFacts(database, run, [fact])
        if (isOfOneSite(fact)) forgetSuperseded(database, run, partsOfFact(fact).subject)
      }),
    facts: (run, after) =>
      database
        .all('SELECT * FROM run_fact WHERE run_id = ? AND id > ? ORDER BY id', run, after)
        .map(row => ({ entry: integer(row, 'id'), fact: factOf(row) })),
  }
}

/** Adds facts in their order, in one statement: a run may begin with what thousands of sites have. */
function insertFacts(database: Database, run: number, facts: readonly RecordedFact[]): void {
  const rows = facts.map(fact => {
    const { subject, detail, step, content } = partsOfFact(fact)
    return [fact.kind, subject, detail, step, content, fact.atMs]
  })
  database.run(
    `INSERT INTO run_fact (run_id, kind, subject, detail, step, content, at)
       SELECT ?1, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5
         FROM json_each(?2) ORDER BY key`,
    run,
    JSON.stringify(rows),
  )
}

/** Forgets what says nothing any more of a site of which something was just added. */
function forgetSuperseded(database: Database, run: number, site: string): void {
  const own = database
    .all(
      `SELECT * FROM run_fact WHERE run_id = ?1 AND subject = ?2 AND kind IN (${inSql(isOfOneSite)}) AND id > coalesce(
         (SELECT id FROM run_fact WHERE run_id = ?1 AND kind IN (${inSql(fact => !isOfOneSite(fact))})
            ORDER BY id DESC LIMIT 1), 0)`,
      run,
      site,
    )
    .map(row => ({ ...factOf(row), entry: integer(row, 'id') }))
  const kept = new Set(withoutSuperseded(own))
  for (const one of own) if (!kept.has(one)) database.run('DELETE FROM run_fact WHERE id = ?', one.entry)
}

/** Names kinds of facts as the indexes do, which are used only for exactly these lists. */
function inSql(isMeant: (fact: Pick<RecordedFact, 'kind'>) => boolean): string {
  return kinds
    .filter(kind => isMeant({ kind }))
    .map(kind => `'${kind}'`)
    .join(', ')
}

function runOf(row: Row): DeploymentRun {
  return {
    id: integer(row, 'id'),
    environment: text(row, 'environment'),
    deployment: text(row, 'deployment'),
    application: text(row, 'application'),
    version: text(row, 'version'),
    content: text(row, 'content'),
    seed: integer(row, 'seed'),
    atMs: integer(row, 'at'),
  }
}
