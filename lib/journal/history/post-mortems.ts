import type { PostMortem } from '../../state/pass/post-mortem.ts'
import type { StepEvent } from '../../state/pass/step-event.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, text } from '../store/row.ts'

/** The record of one container that failed in a pass. */
export type KeptPostMortem = PostMortem & {
  readonly atMs: number
  readonly site: string
  readonly application: string
  readonly service: string
}

/** Each record has some 70 KiB at most. */
const mostOfPass = 20
const mostOfEnvironment = 500

/**
 * Keeps the record of a failed container from an event: the first 20 of one pass, and 500 of an environment, so that a
 * release that fails everywhere in one of them takes nothing from the others. The site with the most of them loses its
 * oldest, so that one on which something fails again and again takes nothing from the others, either (G24).
 */
export function keepPostMortem(database: Database, passId: number, event: StepEvent): void {
  const { postMortem, atMs, site, application, service } = event
  if (postMortem === undefined) return
  const row = database.get('SELECT count(*) AS number FROM post_mortem WHERE pass_id = ?', passId)
  if (row !== undefined && integer(row, 'number') >= mostOfPass) return
  database.run(
    'INSERT INTO post_mortem (pass_id, at, site, application, service, body) VALUES (?, ?, ?, ?, ?, ?)',
    passId,
    atMs,
    site,
    application,
    service,
    JSON.stringify(postMortem),
  )
  database.run(
    `WITH of_site AS (
       SELECT min(post_mortem.id) AS oldest, count(*) AS number
         FROM post_mortem JOIN pass ON pass.id = post_mortem.pass_id
         WHERE pass.environment = (SELECT environment FROM pass WHERE id = ?) GROUP BY pass.site)
     DELETE FROM post_mortem WHERE id = (SELECT oldest FROM of_site ORDER BY number DESC LIMIT 1)
       AND (SELECT sum(number) FROM of_site) > ?`,
    passId,
    mostOfEnvironment,
  )
}

/** Returns the records of one pass, in the order in which the containers failed. */
export function postMortemsOf(database: Database, passId: number): readonly KeptPostMortem[] {
  return database.all('SELECT * FROM post_mortem WHERE pass_id = ? ORDER BY id', passId).map(keptOf)
}

function keptOf(row: Row): KeptPostMortem {
  const postMortem: PostMortem = JSON.parse(text(row, 'body'))
  return {
    atMs: integer(row, 'at'),
    site: text(row, 'site'),
    application: text(row, 'application'),
    service: text(row, 'service'),
    ...postMortem,
  }
}
