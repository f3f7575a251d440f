import { onceFor } from '../../memo/once-for.ts'
import { hashOf } from '../canonical.ts'
import type { Application } from './application.ts'

/** Returns a hash of everything that is wanted of an application. It is computed once for all sites that want the same. */
export const applicationHash = onceFor((application: Application) => hashOf(application))
