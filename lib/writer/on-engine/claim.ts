import { createHash } from 'node:crypto'
import type { ClaimVolume } from '../../state/claim-volume.ts'
import type { Identity } from '../../state/identity.ts'
import { claimLabel, labelOf } from '../../state/labels.ts'
import { bounded } from '../../text/bounded.ts'
import { isoText } from '../../text/time.ts'
import type { Claimant } from './machine.ts'

/** Says that a process writes to an environment on an engine. Of several, the one with the highest number counts. */
export type EngineClaim = {
  readonly number: number
  /** The process, by its own id. */
  readonly holder: string
  /** Each claim has a mark of its own. It stays when the claim is given up, if something was written. */
  readonly mark: string
  /** Whose claim it takes the place of. Absent: there was none. */
  readonly after?: string
  readonly machine: string
  /** What it says of itself for people. */
  readonly who: string
  /** The engine's own time of day. */
  readonly since?: string
}

/** What an engine has of claims on one environment. */
export type SeenClaims = {
  /** The one that counts first. */
  readonly claims: readonly EngineClaim[]
  /** The processes that ask the holder whether it is alive, by their ids. */
  readonly asking: readonly string[]
  /** What those left who wrote and gave their claims up. There is one, unless one was about to take the other's place. */
  readonly marks: readonly string[]
  /** The highest number of a volume that looks like a claim and is none; 0: there is no such volume. */
  readonly imitated: number
}

/** Returns what is claimed: an environment of a repository, however its address reads. */
export function claimOn({ source, environment }: Pick<Identity, 'source' | 'environment'>): string {
  return createHash('sha256')
    .update(JSON.stringify([source, environment]))
    .digest('hex')
    .slice(0, 32)
}

/** Returns the name of the volume of a claim. It follows from the number, so that an engine has one of each. */
export function claimName(claim: string, number: number): string {
  return `tallyman-claim-${claim}-${number}`
}

/** Returns the name of the volume by which a process asks the holder of a claim whether it is alive. */
export function askName(claim: string, asking: string): string {
  return `tallyman-claim-${claim}-ask-${asking}`
}

/** Returns the name of the volume that says, after its holder gave a claim up, that it wrote. */
export function markName(claim: string, mark: string): string {
  return `tallyman-claim-${claim}-wrote-${mark}`
}

/** Returns the labels of a claim; `of`: the environment for people. */
export function claimLabels(
  claim: string,
  of: string,
  { id, machine, who }: Claimant,
  mark: string,
  after: string | undefined,
): Record<string, string> {
  return {
    [claimLabel.claim]: claim,
    [claimLabel.of]: of,
    [claimLabel.holder]: id,
    [claimLabel.mark]: mark,
    [claimLabel.machine]: machine,
    [claimLabel.who]: who,
    ...(after === undefined ? {} : { [claimLabel.after]: after }),
  }
}

/** Returns the labels of a question, and of a mark. */
export function plainLabels(claim: string, of: string, { who }: Claimant): Record<string, string> {
  return { [claimLabel.claim]: claim, [claimLabel.of]: of, [claimLabel.who]: who }
}

/** Reads what an engine lists. Volumes with other names are left out. */
export function readClaims(claim: string, volumes: readonly ClaimVolume[]): SeenClaims {
  const numbered = volumes.flatMap(volume => {
    const number = numberIn(claim, volume.name)
    return number === undefined ? [] : [{ number, read: readClaim(claim, volume) }]
  })
  const imitated = numbered
    .filter(({ read }) => read === undefined)
    .reduce((most, { number }) => Math.max(most, number), 0)
  const named = (prefix: string) =>
    volumes.flatMap(({ name }) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []))
  return {
    claims: numbered.flatMap(({ read }) => read ?? []).sort((one, other) => other.number - one.number),
    asking: named(askName(claim, '')),
    marks: named(markName(claim, '')),
    imitated,
  }
}

/** Returns the claim that a volume stands for; undefined if it is not one that a Tallyman made. */
export function readClaim(claim: string, { name, labels, createdAt }: ClaimVolume): EngineClaim | undefined {
  const number = numberIn(claim, name)
  const { holder: ofHolder, mark: ofMark, machine: ofMachine, who: ofWho } = claimLabel
  const [holder, mark, machine, who] = [ofHolder, ofMark, ofMachine, ofWho].map(one => labelOf(labels, one))
  if (number === undefined || labelOf(labels, claimLabel.claim) !== claim) return undefined
  if (!holder || !mark || !machine || !who) return undefined
  const after = labelOf(labels, claimLabel.after)
  const since = createdAt === undefined ? Number.NaN : Date.parse(createdAt)
  return {
    ...{ number, holder, mark, machine, who: bounded(who) },
    ...(after === undefined ? {} : { after }),
    ...(Number.isNaN(since) ? {} : { since: isoText(since) }),
  }
}

/** A number that cannot be counted up exactly is none. */
function numberIn(claim: string, name: string): number | undefined {
  const prefix = claimName(claim, 0).slice(0, -1)
  if (!name.startsWith(prefix)) return undefined
  const digits = name.slice(prefix.length)
  return /^[1-9]\d{0,14}$/.test(digits) ? Number(digits) : undefined
}
