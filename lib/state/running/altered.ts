import type { ServiceMark } from './live.ts'

/**
 * Returns what somebody changed in a service of a Swarm, in words; undefined if it is as the manager told right after
 * our last change. The number of its tasks is no part of it: that is compared with the wanted one.
 */
export function alteredText(told: ServiceMark, now: ServiceMark): string | undefined {
  const parts = [...new Set([...Object.keys(told), ...Object.keys(now)])].filter(
    part => part !== 'replicas' && told[part] !== now[part],
  )
  if (parts.length === 0) return undefined
  const image = parts.includes('image') ? [`image changed to ${now['image']}`] : []
  const others = parts.filter(part => part !== 'image').sort()
  return [...image, ...(others.length === 0 ? [] : [`${others.join(', ')} changed by hand`])].join(', ')
}
