import { blockDependents } from '../../../../lib/spec/build/requires.ts'
import type { Application } from '../../../../lib/state/application/application.ts'
import type { Blocked } from '../../../../lib/state/application/desired.ts'

export function app(
  name: string,
  version?: string,
  requires: Readonly<Record<string, string>> = {},
): Application {
  return {
    name,
    ...(version === undefined ? {} : { version }),
    services: [],
    requires: Object.entries(requires).map(([application, range]) => ({ application, range })),
  }
}

export function check(applications: readonly Application[], blocked: readonly Blocked[] = []) {
  const found = blockDependents({ applications, blocked }, undefined)
  return {
    applications: found.applications.map(({ name }) => name),
    blocked: found.blocked.flatMap(({ problems }) =>
      problems.map(({ message, code }) => `${message} (${code})`),
    ),
  }
}
