import { label } from '../state/labels.ts'

/** Whose things are meant: those of one environment of one repository. */
export type Owner = { readonly environment: string; readonly source: string }

/** The engine's own filter for what is ours. */
export function ownFilter({ environment, source }: Owner): { readonly label: readonly string[] } {
  return { label: [`${label.environment}=${environment}`, `${label.source}=${source}`] }
}

/** The labels of networks and volumes that are ours; of an application, or of the whole environment. */
export function ownLabels({ environment, source }: Owner, application?: string): Record<string, string> {
  return {
    [label.environment]: environment,
    [label.source]: source,
    ...(application === undefined ? {} : { [label.application]: application }),
  }
}

/** Whether labels say that a thing is ours; what is not is never touched (G10). */
export function isOurs(labels: Readonly<Record<string, string>> | null | undefined, owner: Owner): boolean {
  return labels?.[label.environment] === owner.environment && labels[label.source] === owner.source
}
