import { type Change, type InstanceLine, titleOf } from '../change/change.ts'
import { walkText } from '../change/walk.ts'
import type { FieldChange } from '../compare/field/field-change.ts'
import { stepsOf } from '../step/step.ts'
import { brief, mostListed, shortened } from './brief.ts'
import { everyField } from './every-field.ts'
import { foreign, indented, type Line, type Style, type Styled, styled } from './line.ts'
import { podLines } from './pod-text.ts'
import { wholeLines } from './whole-text.ts'

/** Returns one change for people: its instances, what differs or is made, what runs once, and how. */
export function changeLines(change: Change, verbose: boolean): readonly Line[] {
  const how = howLine(change)
  const jobs = change.jobs.map(job => `runs ${verbose ? job : shortened(job)}`)
  const turn = change.held?.isQueued === true ? [change.held.reason] : []
  const way = change.walk === undefined ? [] : [walkText({ ...change, walk: change.walk })]
  const more = [...way, ...jobs, ...(how === '' ? [] : [how]), ...turn].map(text =>
    styled('dim', brief(text)),
  )
  return [
    titleOf(change),
    ...change.lines.map(line => indented(2, instanceLine(line))),
    ...[...whatDiffers(change, verbose), ...podLines(change, verbose), ...more].map(line =>
      indented(8, line),
    ),
  ]
}

function instanceLine({ sign, name, reason, said }: InstanceLine): Styled {
  const why = said === undefined ? reason : `${reason}: ${said}`
  return styled(styles[sign], `${sign.padStart(3)} ${brief(name)}  ${brief(why)}`)
}

const styles: Readonly<Record<InstanceLine['sign'], Style>> = {
  '+': 'green',
  '-': 'red',
  '-/+': 'yellow',
  '~': 'yellow',
}

function whatDiffers(change: Change, verbose: boolean): readonly Line[] {
  const whole = wholeLines(change)
  return verbose
    ? [...whole, ...fieldLines(everyField(change), true)]
    : [...fieldLines(change.fields, false), ...whole]
}

/**
 * Differences of images and of the power over the host are never cut off. Of the others, those of data come first, and
 * what exceeds the length of a list is counted.
 */
export function fieldLines(fields: readonly FieldChange[], verbose: boolean): readonly Line[] {
  if (verbose) return fields.map(field => fieldLine(field, false))
  const data = fields.filter(({ touches }) => touches === 'data')
  const mayBeCut = [...data, ...fields.filter(({ touches }) => touches === undefined)]
  const room = Math.max(0, mostListed - (fields.length - mayBeCut.length))
  const cut = new Set(mayBeCut.slice(room))
  const ofMounts = data.filter(field => cut.has(field)).length
  const which = ofMounts === 0 ? '' : `, ${ofMounts} of them of mounts`
  return [
    ...fields.filter(field => !cut.has(field)).map(field => fieldLine(field, field.touches === undefined)),
    ...(cut.size === 0 ? [] : [`and ${cut.size} more${which}; --verbose shows them`]),
  ]
}

function fieldLine({ path, touches, ...change }: FieldChange, isShort: boolean): Line {
  const value = (text: string) => told(isShort ? shortened(brief(text)) : brief(text))
  const from = change.from === undefined ? undefined : value(change.from)
  const to = change.to === undefined ? undefined : value(change.to)
  const text =
    from === undefined
      ? `${told(path)}: ${to}`
      : `${told(path)}: ${from} → ${to === undefined ? '(not set)' : to}`
  return foreign(text, touches === 'host' ? 'red' : undefined)
}

/** Quotes a value that could be mistaken for words of the plan, or for nothing. */
function told(text: string): string {
  return /→|: |^ | $|^$/.test(text) ? JSON.stringify(text) : text
}

/** Returns how instances are replaced, and whether that can be noticed; empty if none is. */
export function strategyText({
  strategy,
  strategyReason,
  downtime,
}: Pick<Change, 'strategy' | 'strategyReason' | 'downtime'>): string {
  return strategy === 'none'
    ? ''
    : `${strategy}: ${strategyReason}; ${downtime ? 'with a short downtime' : 'no downtime'}`
}

function howLine({ prepare, noReturnAt, ...change }: Change): string {
  const how = strategyText(change)
  const pulls = stepsOf(prepare, 'pull-image').length
  return [
    how,
    noReturnAt === undefined ? '' : noReturnText(noReturnAt),
    pulls === 0 ? '' : `${pulls === 1 ? '1 image' : `${pulls} images`} to verify and pull`,
  ]
    .filter(Boolean)
    .join('; ')
}

function noReturnText(noReturnAt: number): string {
  return noReturnAt === 0
    ? 'a failure is not undone, because a mid hook of the rollout before has run'
    : 'a failure after the mid hook began is not undone'
}
