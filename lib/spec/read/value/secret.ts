import type { Secret } from '../../../state/secret/secret.ts'
import type { Secrets } from '../../../state/secret/secrets.ts'
import type { Spot } from '../../spot.ts'

/** Returns the secret with that name. If nobody has it, or it cannot be read, notes a fault at that place (G16). */
export function readSecret(name: string, secrets: Secrets, spot: Spot): Secret | undefined {
  const refusal = secrets.refusal?.(name, false)
  if (refusal !== undefined) {
    spot.fault(refusal, 'policy-violation')
    return undefined
  }
  const secret = secrets.find(name)
  if (secret !== undefined) return secret
  const broken = secrets.unreadable?.(name)
  if (broken !== undefined) {
    spot.fault(`needs the secret "${name}", which cannot be read: ${broken.message}`, broken.code)
    return undefined
  }
  const rival = secrets.rival?.(name)
  if (rival === undefined) missing(`the secret "${name}"`, secrets, spot)
  else
    spot.fault(
      `needs the secret "${name}", which would be read from ${rival.place}, as "${rival.name}" is already`,
      'secret-ambiguous',
    )
  return undefined
}

/**
 * Returns the names of the secrets below a prefix; undefined if secrets are not known at all. Notes a fault if there are
 * none, or if a provider cannot be read, which may have more.
 */
export function readNames(prefix: string, secrets: Secrets, spot: Spot): readonly string[] | undefined {
  const refusal = secrets.refusal?.(prefix, true)
  if (refusal !== undefined) {
    spot.fault(refusal, 'policy-violation')
    return []
  }
  const names = secrets.below(prefix)
  if (names?.length === 0 || secrets.fault !== undefined) missing(`secrets below "${prefix}"`, secrets, spot)
  return names
}

/** Returns the name of a vault's secret: `vault/secret/key`. */
export function vaultName(...parts: readonly string[]): string {
  return parts.join('/')
}

function missing(what: string, { fault }: Secrets, spot: Spot): void {
  if (fault === undefined) spot.fault(`needs ${what}, and nobody has that`, 'secret-missing')
  else spot.fault(`needs ${what}, and not all secrets can be read: ${fault.message}`, fault.code)
}
