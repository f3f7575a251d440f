import type { Role } from './live.ts'

/** Whether it is the container of a job, which runs once per rollout and is part of no instance. */
export function isJob({ role }: { readonly role: Role }): boolean {
  return role === 'hook' || role === 'deploy' || role === 'test'
}

/** The name under which the container of a failed job is put away for people to look at (H9). */
export function keptName(engineName: string, id: string): string {
  return `${engineName}${keptMark}${id.slice(0, 6)}`
}

/** Whether it was put away like that. */
export function isKept({ engineName }: { readonly engineName: string }): boolean {
  return engineName.includes(keptMark)
}

const keptMark = '.kept-'
