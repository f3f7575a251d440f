import type { RestartPolicy } from '../../state/application/container/container.ts'
import type { Parsed } from '../../state/parsed.ts'
import { malformed, parsed } from '../../state/parsed.ts'

/** Parses `no`, `always`, `unless-stopped`, `on-failure` or `on-failure:5`. */
export function parseRestart(text: string): Parsed<RestartPolicy> {
  switch (text) {
    case 'no':
    case 'always':
    case 'unless-stopped':
    case 'on-failure':
      return parsed({ name: text })
  }
  const [, retries] = /^on-failure:(\d{1,9})$/.exec(text) ?? []
  if (retries === undefined)
    return malformed(
      `"${text}" is no restart policy; there are no, always, unless-stopped and on-failure[:5]`,
    )
  return parsed({ name: 'on-failure', ...(Number(retries) === 0 ? {} : { maxRetries: Number(retries) }) })
}
