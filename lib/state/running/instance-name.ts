import { shortFingerprint } from '../application/fingerprint.ts'
import { nameBefore } from './job-container.ts'
import { baseName } from './loaded.ts'
import { isStrayName } from './stray.ts'

/** What an instance is named after. */
export type NamedInstance = {
  /** The name of its environment on engines. */
  readonly environment: string
  readonly service: string
  /** 1…n */
  readonly instance: number
  readonly fingerprint: string
}

/** Returns the name of an instance, with which the names of its containers begin: `prod.web.2.0f8e7d6c`. */
export function instanceName({ environment, service, instance, fingerprint }: NamedInstance): string {
  return `${environment}.${service}.${instance}.${shortFingerprint(fingerprint)}`
}

/** Returns the name of a container: that of its instance if it is the only one of it, else `prod.web.2.0f8e7d6c.app`. */
export function containerName(instance: string, container: string, isOnly: boolean): string {
  return isOnly ? instance : `${instance}.${container}`
}

/** Whether a name is that of an instance, or begins as those of its containers do. */
export function isNameOf(engineName: string, instance: NamedInstance): boolean {
  const own = instanceName(instance)
  return engineName === own || engineName.startsWith(`${own}.`)
}

/**
 * Whether a container of an instance has a name that belongs to another instance of the environment: somebody renamed
 * it. Whoever means the other one by that name has to leave this one alone (D9).
 */
export function isNameOfAnother(engineName: string, instance: NamedInstance): boolean {
  if (isNameOf(engineName, instance) || isStrayName(engineName)) return false
  const prefix = `${instance.environment}.`
  const plain = baseName(nameBefore(engineName))
  return plain.startsWith(prefix) && ofInstance.test(plain.slice(prefix.length))
}

/** Environments and services may be called like instances, and have jobs. The name of a container has no dot. */
const ofInstance = /.\.\d+\.[0-9a-f]{8}(?:\.[^.]+)?$/
