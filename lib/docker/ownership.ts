import { type Identity, identityLabels } from '../state/identity.ts'
import { label } from '../state/labels.ts'

/** Whose things are meant: those of one environment of one repository. */
export type Owner = Identity

/**
 * The engine's own filter for what may be ours. It lets through what another repository calls the same, and what is
 * ours in the older form: `isOurs` decides.
 */
export function ownFilter({ environment }: Owner): { readonly label: readonly string[] } {
  return { label: [`${label.environment}=${environment}`] }
}

/** The labels of networks and volumes that are ours; of an application, or of the whole environment. */
export function ownLabels(owner: Owner, application?: string): Record<string, string> {
  return {
    ...identityLabels(owner),
    ...(application === undefined ? {} : { [label.application]: application }),
  }
}
