import type { Line, Style } from '../../plan/text/line.ts'
import { styled } from '../../plan/text/line.ts'
import type { Logged } from '../../state/running/logged.ts'
import type { LogSource, SourcedLine } from './log-source.ts'

/** Returns the name of a container within its application: `web.1`, or `web.1/backup` for one of several. */
function nameWithin({ service, instance, container, role }: Logged): string {
  const name = `${service}.${instance}`
  return role === 'app' && container === service ? name : `${name}/${container}`
}

const colors: readonly Style[] = ['cyan', 'yellow', 'green', 'magenta', 'blue']

/**
 * Returns a function that puts the name of the container in front of a line, in a color of its own. Names become as
 * wide as the widest so far.
 */
export function prefixing(hasSites: boolean): (source: LogSource) => Line {
  const colorOf = new Map<string, Style>()
  let width = 0
  return ({ site: { site }, one }) => {
    const name = `${hasSites ? `${site} ` : ''}${nameWithin(one)}`
    const color = colorOf.get(name) ?? colors[colorOf.size % colors.length] ?? 'bold'
    colorOf.set(name, color)
    width = Math.max(width, name.length)
    return [styled(color, name), `${' '.repeat(width - name.length)} | `]
  }
}

/** Returns a line of a container as JSON has it. */
export function lineJson({ at, stream, text, source: { site, one } }: SourcedLine): object {
  const { environment, application, service, instance, container, role, engineName } = one
  return {
    ...{ time: at, site: site.site, environment, application, service, instance, container, role },
    ...{ engineName, stream, text },
  }
}
