import type { Text } from '../../state/secret.ts'
import type { Secrets } from '../../state/secrets.ts'
import { joined } from '../../state/text.ts'
import type { Service } from '../application.gen.ts'
import type { Spot } from '../spot.ts'
import { readSecret, vaultName } from './secret.ts'

/** What `${NAME}` stands for in the `env` of a service's containers; undefined where that could not be read. */
export type Variables = ReadonlyMap<string, Text | undefined>

/** `variables` of a service (A46): each has a value or comes from a secret. */
export function readVariables(
  written: NonNullable<Service['variables']>,
  secrets: Secrets,
  spot: Spot,
): Variables {
  const variables = new Map<string, Text | undefined>()
  written.forEach((variable, index) => {
    const { name, value, 'value-from-vault-secret': vault } = variable
    const at = spot.at(index)
    if (variables.has(name)) at.at('name').fault(`is "${name}" a second time`)
    if ((value === undefined) === (vault === undefined))
      at.fault('needs exactly one of value, value-from-vault-secret')
    const key = 'value-from-vault-secret'
    variables.set(
      name,
      vault === undefined
        ? readValue(value ?? '', at.at('value'))
        : readSecret(vaultName(vault.vault, vault.secret, vault.key), secrets, at.at(key)),
    )
  })
  return variables
}

/**
 * The text with every `${NAME}` replaced, and `$$` by a dollar. What holds a secret is one itself. A name that is no
 * variable of the service is a fault (A46).
 *
 * @param what whose value it is, where the spot does not say
 */
export function substitute(
  text: string,
  { variables, secrets }: { readonly variables: Variables; readonly secrets: Secrets },
  what: string,
  spot: Spot,
): Text | undefined {
  const parts = text.split(/(\$\$|\$\{[^}]*\})/).map((part): Text | undefined => {
    if (part === '$$') return '$'
    const [, name] = /^\$\{([^}]*)\}$/.exec(part) ?? []
    if (name === undefined) return part
    if (variables.has(name)) return variables.get(name)
    const there = variables.size === 0 ? 'the service has no variables' : 'the service has none of that name'
    spot.fault(`${what} names the variable "${name}", and ${there}`)
    return undefined
  })
  const known = parts.filter(part => part !== undefined)
  if (known.length < parts.length) return undefined
  return joined(known, secrets)
}

function readValue(written: string | number | boolean, spot: Spot): string {
  if (typeof written === 'number' && !Number.isSafeInteger(written))
    spot.fault('is a number that loses its spelling; put it in quotes')
  return String(written)
}
