import type { Files } from '../image/files.ts'
import type { Clock } from '../server/clock.ts'

/** What a simulated program does next. */
export type Act =
  | { readonly says: string; readonly stream?: Stream }
  | { readonly sleepsMs: number }
  /** Goes on once this is true. */
  | { readonly waitsUntil: () => boolean }
  /** Does nothing more until a signal comes. */
  | { readonly stays: true }

export type Stream = 'stdout' | 'stderr'

/** What a program sees of the container that it runs in. */
export type Surroundings = {
  readonly env: Readonly<Record<string, string>>
  readonly files: Files
  /** How often the container was started, this time included. */
  readonly starts: number
  /** How long its first process runs. */
  readonly runningMs: number
  /** Sets what follows SIGTERM. Without it the signal ends the program, unless it is the first of its processes. */
  onTerm(program: Program): void
}

/** What runs in a container: acts in their order, and its exit code at the end. */
export type Program = (around: Surroundings) => Generator<Act, number>

/** A program under way. */
export type Process = {
  /** Sends SIGTERM, or another signal that a program may handle. */
  term(): void
  /** Ends it at once. */
  kill(): void
  pause(): void
  goOn(): void
}

export type ProcessOptions = {
  readonly program: Program
  readonly around: Omit<Surroundings, 'onTerm'>
  readonly clock: Clock
  /** The kernel hands such a process no signal that it does not handle. */
  readonly isFirst: boolean
  readonly says: (text: string, stream: Stream) => void
  readonly ended: (exitCode: number) => void
}

const killed = 137
const terminated = 143
/** How often a program looks whether it can go on. */
const looksMs = 50

/** Starts a program, which does its first act once the present call is over. */
export function startProcess({ program, around, clock, isFirst, says, ended }: ProcessOptions): Process {
  let onTerm: Program | undefined
  let isPaused = false
  let isOver = false
  let due: (() => void) | undefined
  let cancel = () => {}
  const seen = {
    ...around,
    onTerm: (handler: Program) => {
      onTerm = handler
    },
  }
  let acts = program(seen)

  const after = (ms: number, act: () => void) => {
    due = act
    cancel = clock.after(ms, () => {
      if (!isPaused) act()
    })
  }
  const end = (exitCode: number) => {
    if (isOver) return
    isOver = true
    cancel()
    ended(exitCode)
  }
  const step = () => {
    due = undefined
    for (;;) {
      const next = acts.next()
      if (isOver) return
      if (next.done) return end(next.value)
      const act = next.value
      if ('says' in act) says(act.says, act.stream ?? 'stdout')
      else if ('sleepsMs' in act) return after(act.sleepsMs, step)
      else if ('stays' in act) return
      else if (!act.waitsUntil()) return look(act.waitsUntil)
    }
  }
  const look = (isTrue: () => boolean) => after(looksMs, () => (isTrue() ? step() : look(isTrue)))

  after(0, step)
  return {
    term() {
      if (isOver) return
      if (onTerm === undefined) return isFirst ? undefined : end(terminated)
      cancel()
      acts = onTerm(seen)
      after(0, step)
    },
    kill: () => end(killed),
    pause() {
      isPaused = true
    },
    goOn() {
      isPaused = false
      if (due !== undefined && !isOver) {
        cancel()
        after(0, due)
      }
    },
  }
}

/** What a program that runs to its end at once wrote, and its exit code. Its sleeps take no time. */
export type Ran = { readonly output: string; readonly exitCode: number }

/** Runs a program to its end at once: a health check, or whatever is executed beside the first process. */
export function runAtOnce(program: Program, around: Omit<Surroundings, 'onTerm'>): Ran {
  const acts = program({ ...around, onTerm: () => {} })
  let output = ''
  for (let count = 0; count < mostActs; count += 1) {
    const next = acts.next()
    if (next.done) return { output, exitCode: next.value }
    if ('says' in next.value) output += next.value.says
    const isStuck = 'stays' in next.value || ('waitsUntil' in next.value && !next.value.waitsUntil())
    if (isStuck) return { output, exitCode: killed }
  }
  return { output, exitCode: killed }
}

/** What does more than that counts as a program that never ends. */
const mostActs = 10_000
