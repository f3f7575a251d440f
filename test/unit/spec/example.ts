import { formatProblem } from '../../../lib/errors.ts'
import { validateRepository } from '../../../lib/resolve.ts'
import { anySecrets } from '../../../lib/spec/any-secrets.ts'
import { strictPolicy } from '../../../lib/spec/policy.ts'
import { fixture } from '../../support/fixture.ts'

/** Everything that is wrong with an example of the documents, a repository under fixtures/. */
export async function exampleProblems(scenario: string): Promise<readonly string[]> {
  const problems = await validateRepository(await fixture(scenario), {
    source: 'https://git.example.com/ops/manifests',
    policy: strictPolicy,
    healthyMs: 5_000,
    sandboxImage: 'busybox:stable',
    secrets: anySecrets,
  })
  return problems.map(formatProblem)
}
