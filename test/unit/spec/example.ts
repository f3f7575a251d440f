import { formatProblem } from '../../../lib/errors.ts'
import { anySecrets } from '../../../lib/spec/any-secrets.ts'
import { type Policy, strictPolicy } from '../../../lib/spec/policy/policy.ts'
import { validateRepository } from '../../../lib/validate/repository.ts'
import { fixture } from '../../support/files/fixture.ts'

/** Everything that is wrong with an example of the documents, a repository under fixtures/, where this is allowed. */
export async function exampleProblems(
  scenario: string,
  allowed: Partial<Policy> = {},
): Promise<readonly string[]> {
  const { problems } = await validateRepository(await fixture(scenario), {
    source: 'https://git.example.com/ops/manifests',
    policy: { ...strictPolicy, ...allowed },
    healthyMs: 5_000,
    sandboxImage: 'busybox:stable',
    secrets: anySecrets,
  })
  return problems.map(formatProblem)
}
