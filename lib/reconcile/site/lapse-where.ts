import type { ActiveApproval } from '../../journal/decisions/approvals.ts'
import type { Journal } from '../../journal/journal.ts'

/** What is approved on a site, with the service that it is of. */
type ApprovedOf = ActiveApproval & { readonly application: string; readonly service: string }

/** Lets those of the approvals that are in force on a site lapse that are over. */
export function lapseWhere(
  journal: Pick<Journal, 'useApproval'>,
  { environment, site }: { readonly environment: string; readonly site: string },
  inForce: readonly ActiveApproval[],
  isOver: (given: ApprovedOf) => boolean,
): void {
  for (const given of inForce) {
    const [application = '', service = ''] = given.resource.split('/')
    const one = { ...given, application, service }
    if (isOver(one)) journal.useApproval(environment, { ...one, site })
  }
}
