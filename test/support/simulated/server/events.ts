import { type Filters, hasLabels, matchesAny } from './filters.ts'
import type { Moment } from './moment.ts'

/** A line of the stream of events. */
export type Message = {
  readonly Type: Kind
  readonly Action: string
  readonly Actor: { readonly ID: string; readonly Attributes: Readonly<Record<string, string>> }
  readonly scope: 'local' | 'swarm'
  readonly time: number
  readonly timeNano: number
}

type Kind = 'container' | 'network' | 'volume' | 'image' | 'service'

export type Events = {
  emit(Type: Kind, Action: string, ID: string, Attributes: Readonly<Record<string, string>>): void
  /**
   * Calls back for what matches, until the returned function is called.
   * @param sinceNano from when on it is also told what happened before; absent: nothing is
   */
  subscribe(
    filters: Filters,
    sinceNano: number | undefined,
    onMessage: (message: Message) => void,
  ): () => void
}

/** How many of its last events an engine keeps. */
const mostKept = 256

/** Creates the events of one engine. `deliver` decides when, and whether, a message reaches those who listen. */
export function createEvents(now: () => Moment, deliver: (send: () => void) => void): Events {
  const listeners = new Set<(message: Message) => void>()
  const kept: Message[] = []
  return {
    emit(Type, Action, ID, Attributes) {
      const { ms, nanoseconds } = now()
      const message: Message = {
        ...{ Type, Action, Actor: { ID, Attributes }, scope: Type === 'service' ? 'swarm' : 'local' },
        time: Math.floor(ms / 1000),
        timeNano: nanoseconds,
      }
      deliver(() => {
        kept.push(message)
        if (kept.length > mostKept) kept.shift()
        for (const listener of listeners) listener(message)
      })
    },
    subscribe(filters, sinceNano = Number.POSITIVE_INFINITY, onMessage) {
      const listener = (message: Message) => {
        if (isMeant(message, filters)) onMessage(message)
      }
      kept.filter(({ timeNano }) => timeNano >= sinceNano).forEach(listener)
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function isMeant({ Type, Action, Actor }: Message, filters: Filters): boolean {
  return (
    matchesAny(filters, 'type', wanted => wanted === Type) &&
    // `health_status` also means `health_status: healthy`.
    matchesAny(filters, 'event', wanted => wanted === Action || Action.startsWith(`${wanted}:`)) &&
    matchesAny(filters, 'container', wanted => [Actor.ID, Actor.Attributes['name']].includes(wanted)) &&
    hasLabels(Actor.Attributes, filters)
  )
}
