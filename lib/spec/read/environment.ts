import type { Text } from '../../state/secret/secret.ts'
import { reveal } from '../../state/secret/text.ts'
import { foreignToPrograms } from '../../text/foreign-to-programs.ts'
import type { Container } from '../application.gen.ts'
import type { Scalar, Spot } from '../spot.ts'
import { type Nameable, substitute } from './value/dollars.ts'
import { isVariableName, type Pairs, readPairs } from './value/pairs.ts'
import { readNamedSecret } from './value/value.ts'

/**
 * Reads `env` and `environment` together. A name may stand in only one of them. `${NAME}` becomes the service's
 * variable (A46), and `{secret: name}` that secret (G16).
 */
export function readEnvironment(
  written: Container,
  context: Nameable,
  spot: Spot,
): Readonly<Record<string, Text>> | undefined {
  if (written.env === undefined && written.environment === undefined) return undefined
  const env = readValues('env')
  const environment = readValues('environment')
  for (const name of environment.keys())
    if (env.has(name)) spot.at('environment').fault(`sets ${name}, which "env" sets too`)
  return Object.fromEntries([...env, ...environment])

  function readValues(key: 'env' | 'environment'): ReadonlyMap<string, Text> {
    const at = spot.at(key)
    const { plain, secrets } = apart(written[key] ?? {})
    const pairs = Object.entries(readPairs(plain, at))
    for (const [name] of pairs)
      if (!isVariableName(name)) at.fault(`has "${name}", which is no name of a variable`)
    const texts = pairs.map(([name, text]) => [name, substitute(text, context, at, name)] as const)
    const hidden = secrets.map(([name, secret]) => {
      if (!isVariableName(name)) at.fault(`has "${name}", which is no name of a variable`)
      return [name, readNamedSecret(secret, context, at.at(name))] as const
    })
    const known = new Map<string, Text>()
    for (const [name, value] of [...texts, ...hidden]) {
      if (value === undefined) continue
      // What a file says was looked at when it was read. What a secret holds is only known now.
      const reason = foreignToPrograms(reveal(value))
      if (reason === undefined) known.set(name, value)
      else at.at(name).fault(`${name} ${reason}; only a file can be given that, with a volume of secrets`)
    }
    return known
  }
}

type Written = NonNullable<Container['env']>

/** Separates plain texts from names of secrets. */
function apart(written: Written): {
  readonly plain: Pairs
  readonly secrets: readonly (readonly [string, string])[]
} {
  if (Array.isArray(written)) return { plain: written, secrets: [] }
  const plain = new Map<string, Scalar>()
  const secrets: (readonly [string, string])[] = []
  for (const [name, value] of Object.entries(written))
    if (typeof value === 'object') secrets.push([name, value.secret])
    else plain.set(name, value)
  return { plain: Object.fromEntries(plain), secrets }
}
