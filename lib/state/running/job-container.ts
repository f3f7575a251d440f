import type { Role } from './live.ts'

const jobRoles = ['hook', 'deploy', 'test'] as const

/** Returns the role of a job that a label names; undefined if it names none. */
export function jobRoleIn(role: string | undefined): (typeof jobRoles)[number] | undefined {
  return jobRoles.find(one => one === role)
}

/** Whether it is the container of a job, which runs once per rollout and is part of no instance. */
export function isJob({ role }: { readonly role: string | undefined }): boolean {
  return jobRoleIn(role) !== undefined
}

/** Whether it is part of an instance: neither a job, nor a failed container that was kept. */
export function isOfInstance(container: { readonly role: Role; readonly engineName: string }): boolean {
  return !isJob(container) && !isKeptContainer(container)
}

/** Returns the name under which a failed container is kept for people to look at (H9). */
export function keptName(engineName: string, id: string): string {
  return `${engineName}${keptMark}${id.slice(0, 6)}`
}

/** Returns the name that the container had before. */
export function nameBefore(engineName: string): string {
  return engineName.replace(kept, '')
}

/** Whether a failed container was kept under such a name. */
export function isKeptContainer({ engineName }: { readonly engineName: string }): boolean {
  return kept.test(engineName)
}

const keptMark = '.kept-'
const kept = /\.kept-[0-9a-f]{6}$/
