import { optional } from '../../object.ts'
import type { ServicePlace } from '../../plan/change/change.ts'
import { type Outcome, outcomes } from '../../state/pass/outcome.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, optionalInteger, optionalText, text, word } from '../store/row.ts'
import { inForce } from './discards.ts'

/** A person's answer to a plan. */
export type Word = {
  readonly word: 'approved' | 'discarded'
  readonly commit: string
  readonly who: string
  readonly message?: string
  readonly atMs: number
}

/** The newest pass that had a plan; without an outcome and an end while it runs. */
export type PassOfPlan = {
  readonly passId: number
  /** The commit that it was about; absent: it is not known. */
  readonly commit?: string
  /** Whether it began something of it. */
  readonly hasBegun: boolean
  readonly outcome?: Outcome
  /** When it, or a later pass that found the same, was seen last. */
  readonly atMs: number
  readonly endedMs?: number
}

/** A release of a service that somebody approved on a site, or its removal, and when. */
export type ApprovedService = ServicePlace & {
  readonly release: string
  readonly isRemoved: boolean
  readonly atMs: number
}

/** The plan of one site. */
export type SitePlan = { readonly site: string; readonly planId: string }

export type Words = {
  /**
   * Returns people's answers to a plan, the newest first, also those to the plan of several sites that it is part of. A
   * rejection after which somebody asked for what it brings is none any more.
   * `skipConfirmation` of a manifest is not one of them.
   */
  wordsOn(environment: string, planId: string): readonly Word[]
  /** Returns the newest pass over a site that had that plan. */
  passOfPlan(environment: string, planId: string): PassOfPlan | undefined
  /**
   * Returns the plans of sites that were approved by an id, which is their own or that of several together, by site.
   * Empty: nothing was.
   */
  sitePlans(environment: string, planId: string): readonly SitePlan[]
  /** Returns what a person approved last by such an id, by site. */
  approvedBy(environment: string, planId: string): ReadonlyMap<string, readonly ApprovedService[]>
}

/** Reads people's answers from a database. */
export function wordsIn(database: Database): Words {
  return {
    wordsOn: (environment, planId) =>
      database
        .all(
          `SELECT 'approved' AS word, commit_id, who, message, at FROM approval
             WHERE environment = ?1 AND plan_id = ?2 AND via <> 'skipConfirmation'
           UNION ALL
           SELECT 'approved' AS word, shown.commit_id, who, message, at
             FROM approval_plan AS shown JOIN approval ON approval.id = shown.approval_id
             WHERE shown.environment = ?1 AND shown.plan_id = ?2 AND approval.plan_id <> ?2
               AND via <> 'skipConfirmation'
           UNION ALL
           SELECT 'discarded' AS word, commit_id, who, message, at FROM discard
             WHERE environment = ?1 AND plan_id = ?2 AND ${inForce}
           ORDER BY at DESC`,
          environment,
          planId,
        )
        .map(wordOf),
    passOfPlan: (environment, planId) => {
      const row = database.get(
        `SELECT id, commit_id, outcome, seen_at, ended_at, EXISTS (SELECT 1 FROM pass_change WHERE pass_id = pass.id) AS begun
           FROM pass WHERE plan_id = ? AND environment = ? ORDER BY id DESC LIMIT 1`,
        planId,
        environment,
      )
      if (row === undefined) return undefined
      return {
        passId: integer(row, 'id'),
        ...optional('commit', optionalText(row, 'commit_id')),
        hasBegun: integer(row, 'begun') === 1,
        ...(row['outcome'] === null ? {} : { outcome: word(row, 'outcome', outcomes) }),
        atMs: integer(row, 'seen_at'),
        ...optional('endedMs', optionalInteger(row, 'ended_at')),
      }
    },
    sitePlans: (environment, planId) =>
      database
        .all(
          `SELECT shown.site, shown.plan_id
             FROM approval JOIN approval_plan AS shown ON shown.approval_id = approval.id
             WHERE approval.environment = ?1 AND approval.plan_id = ?2
           UNION SELECT site, plan_id FROM approval_plan WHERE environment = ?1 AND plan_id = ?2
           ORDER BY site`,
          environment,
          planId,
        )
        .map(row => ({ site: text(row, 'site'), planId: text(row, 'plan_id') })),
    approvedBy: (environment, planId) =>
      Map.groupBy(database.all(selectApproved, environment, planId).map(approvedOf), ({ site }) => site),
  }
}

/** Selects what the last approval by the id of a plan covers. */
const selectApproved = `SELECT part.site, part.application, item.service, item.release,
    item.action = 'remove' AS removed, approval.at
  FROM approval JOIN approval_site AS part ON part.approval_id = approval.id
  JOIN approval_target AS item ON item.approval_id = part.approval_id AND item.target = part.target
  WHERE approval.id = (SELECT max(id) FROM (
    SELECT id FROM approval WHERE environment = ?1 AND plan_id = ?2 AND via <> 'skipConfirmation'
    UNION ALL
    SELECT given.id FROM approval_plan AS shown JOIN approval AS given ON given.id = shown.approval_id
      WHERE shown.environment = ?1 AND shown.plan_id = ?2 AND given.via <> 'skipConfirmation'))`

function approvedOf(row: Row): ApprovedService {
  return {
    site: text(row, 'site'),
    application: text(row, 'application'),
    service: text(row, 'service'),
    release: text(row, 'release'),
    isRemoved: integer(row, 'removed') === 1,
    atMs: integer(row, 'at'),
  }
}

function wordOf(row: Row): Word {
  return {
    word: word(row, 'word', ['approved', 'discarded']),
    commit: text(row, 'commit_id'),
    who: text(row, 'who'),
    ...optional('message', optionalText(row, 'message')),
    atMs: integer(row, 'at'),
  }
}
