import type { Text } from '../../../state/secret/secret.ts'
import type { Secrets } from '../../../state/secret/secrets.ts'
import type { Service } from '../../application.gen.ts'
import type { Spot } from '../../spot.ts'
import { type VariableValues, withoutNames } from './dollars.ts'
import { readSecret, vaultName } from './secret.ts'

/**
 * Reads `variables` of a service (A46). Each has a value or comes from a secret. What a label of a site says takes the
 * place of the value before (A73).
 */
export function readVariables(
  written: NonNullable<Service['variables']>,
  secrets: Secrets,
  spot: Spot,
): VariableValues {
  const variables = new Map<string, Text | undefined>()
  written.forEach((variable, index) => {
    const { name, value, 'value-from-vault-secret': vault, 'value-from-site-label': label } = variable
    const at = spot.at(index)
    if (variables.has(name)) at.at('name').fault(`is "${name}" a second time`)
    if (label !== undefined && value === undefined)
      at.at('value-from-site-label').fault('needs a value beside it, for sites without this label')
    else if ((value === undefined) === (vault === undefined))
      at.fault('needs exactly one of value, value-from-vault-secret')
    const place = at.at('value-from-vault-secret')
    const part = (key: 'vault' | 'secret' | 'key') => withoutNames(vault?.[key] ?? '', place.at(key))
    variables.set(
      name,
      vault === undefined
        ? withoutNames(at.at('value').text(value ?? ''), at.at('value'))
        : readSecret(vaultName(part('vault'), part('secret'), part('key')), secrets, place),
    )
  })
  return variables
}
