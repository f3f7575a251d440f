import type { Parsed } from '../../state/parsed.ts'
import { malformed, parsed } from '../../state/parsed.ts'

/** Parses a Linux signal that can end a process, by name or number: `SIGTERM`, `TERM` (the same) or `15`. */
export function parseSignal(signal: string | number): Parsed<string> {
  const text = String(signal).toUpperCase()
  if (/^((SIG)?STOP|0*19)$/.test(text))
    return malformed(`"${signal}" makes a process stand still and never end; write for example SIGTERM`)
  if (/^\d+$/.test(text))
    return Number(text) >= 1 && Number(text) <= 64
      ? parsed(text)
      : malformed(`${text} is not between 1 and 64`)
  const name = text.startsWith('SIG') ? text.slice(3) : text
  return signals.has(name) || realTime.test(name)
    ? parsed(`SIG${name}`)
    : malformed(`"${signal}" is no signal; write for example SIGTERM or SIGQUIT`)
}

const signals = new Set(
  'HUP INT QUIT ILL TRAP ABRT IOT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO POLL PWR SYS'.split(
    ' ',
  ),
)
const realTime = /^RT(MIN(\+([0-9]|1[0-5]))?|MAX(-([0-9]|1[0-4]))?)$/
