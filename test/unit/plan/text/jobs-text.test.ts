import { expect } from 'chai'
import { jobText } from '../../../../lib/plan/text/jobs-text.ts'
import type { Job } from '../../../../lib/state/application/application.ts'
import type { Container } from '../../../../lib/state/application/container/container.ts'
import { job } from '../../../support/builders/builders.ts'

function textOf(stage: Job['stage'], container: Partial<Container> = {}, more: Partial<Job> = {}): string {
  const own = job(stage)
  return jobText({ ...own, container: { ...own.container, ...container }, ...more })
}

describe('a job in words', () => {
  it('H28 G23 has the whole command, with what takes the place of the entrypoint of the image', () => {
    expect(textOf('pre', { entrypoint: ['/bin/sh', '-c'], command: ['migrate up'] })).to.equal(
      'pre hook (Abort): /bin/sh -c "migrate up"',
    )
    expect(textOf('mid', { entrypoint: ['/bin/migrate'] })).to.equal('mid hook (Abort): /bin/migrate')
    expect(textOf('post', { command: ['migrate', ''] })).to.equal('post hook (Abort): migrate ""')
    expect(textOf('post')).to.equal("post hook (Abort): the image's own command")
  })

  it('H28 says what its failure does', () => {
    expect(textOf('pre', { command: ['warm'] }, { onFailure: 'ignore' })).to.equal('pre hook (Ignore): warm')
    expect(textOf('pre', { command: ['warm'] }, { onFailure: 'retry' })).to.equal('pre hook (Retry): warm')
  })

  it('P3 is its name alone for a phase, which the image defines', () => {
    expect([textOf('test'), textOf('deploy')]).to.deep.equal(['test', 'deploy'])
  })
})
