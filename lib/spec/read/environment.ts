import type { Container } from '../application.gen.ts'
import type { Spot } from '../spot.ts'
import { readPairs } from './pairs.ts'

/** `env` and `environment` together; a name may stand in one of them only. Services have no variables yet (A46). */
export function readEnvironment(
  written: Container,
  spot: Spot,
): Readonly<Record<string, string>> | undefined {
  if (written.env === undefined && written.environment === undefined) return undefined
  const env = readPairs(written.env ?? {}, spot.at('env'))
  const environment = readPairs(written.environment ?? {}, spot.at('environment'))
  for (const name of Object.keys(environment))
    if (Object.hasOwn(env, name)) spot.at('environment').fault(`sets ${name}, which "env" sets too`)
  const both = { ...env, ...environment }
  for (const [name, value] of Object.entries(both)) {
    const [, variable] = /\$\{([^}]*)\}/.exec(value) ?? []
    if (variable !== undefined)
      spot
        .at(Object.hasOwn(env, name) ? 'env' : 'environment')
        .fault(`${name} names the variable "${variable}", and the service has no variables`)
  }
  return both
}
