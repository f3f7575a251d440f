import type { ServiceMark } from './live.ts'

/**
 * Returns what somebody changed in a service of a Swarm, in words; undefined if it is as the manager told right after
 * our last change.
 */
export function alteredText(told: ServiceMark, now: ServiceMark): string | undefined {
  const parts = [...new Set([...Object.keys(told), ...Object.keys(now)])].filter(
    part => told[part] !== now[part],
  )
  if (parts.length === 0) return undefined
  const shown = parts.flatMap(part => {
    if (part === 'replicas') return `scaled from ${told[part]} to ${now[part]}`
    return part === 'image' ? `image changed to ${now[part]}` : []
  })
  const others = parts.filter(part => part !== 'replicas' && part !== 'image').sort()
  return [...shown, ...(others.length === 0 ? [] : [`${others.join(', ')} changed by hand`])].join(', ')
}
