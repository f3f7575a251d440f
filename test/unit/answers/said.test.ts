import { expect } from 'chai'
import { approve } from '../../../lib/answers/approve.ts'
import { discard } from '../../../lib/answers/discard.ts'
import { drain, undrain } from '../../../lib/answers/drain.ts'
import { requestPasses } from '../../../lib/answers/request-passes.ts'
import { resume } from '../../../lib/answers/resume.ts'
import { retry } from '../../../lib/answers/retry.ts'
import { rollback } from '../../../lib/answers/rollback.ts'
import { owner, type Speaker } from '../../../lib/answers/subject/speaker.ts'
import type { Audience } from '../../../lib/answers/subject/subject.ts'
import { suspend } from '../../../lib/answers/suspend.ts'
import { refused } from '../../support/failures/refused.ts'
import {
  ann,
  keepVersions,
  memoryAudience,
  memorySubject,
  saidMs,
  stranger,
  waitingPlan,
} from '../../support/memory/memory-audience.ts'

const { id } = waitingPlan

/** Everything that can be said, about something that is there, and how it stands in the record. */
const sayings: readonly (readonly [
  string,
  (audience: Audience, speaker: Speaker) => Promise<object>,
  object,
])[] = [
  [
    'approve',
    (there, speaker) => approve(there, speaker, { id, message: 'go' }),
    { about: id, message: 'go' },
  ],
  [
    'discard',
    (there, speaker) => discard(there, speaker, { id, message: 'no' }),
    { about: id, message: 'no' },
  ],
  [
    'suspend',
    (there, speaker) =>
      suspend(there, speaker, {
        application: 'web',
        reason: 'moving',
        untilMs: saidMs + 1_000,
        replace: true,
      }),
    { about: 'web', message: 'moving until 2026-03-01T12:00:01.000Z' },
  ],
  ['resume', (there, speaker) => resume(there, speaker, {}), {}],
  ['retry', (there, speaker) => retry(there, speaker, { application: 'web' }), { about: 'web' }],
  [
    'rollback',
    (there, speaker) => rollback(there, speaker, { application: 'web', to: '1', reason: 'it leaks' }),
    { about: 'web', message: 'to version 1: it leaks' },
  ],
  ['drain', (there, speaker) => drain(there, speaker, { site: 'local' }), { about: 'local' }],
  ['undrain', (there, speaker) => undrain(there, speaker, { site: 'local' }), { about: 'local' }],
]

describe('what is said', () => {
  for (const [verb, say, record] of sayings) {
    it(`G13 by somebody who may not is refused, and changes nothing: ${verb}`, async () => {
      const subject = memorySubject()
      const audience = memoryAudience(subject)
      const before = recordedIn(audience)
      expect(await refused(say(audience, stranger))).to.equal(`control-forbidden: eve may not ${verb}`)
      expect(recordedIn(audience)).to.deep.equal(before)
      expect(subject.asked).to.deep.equal([])
    })

    it(`G25 is on record with who said it, when and by which way, whatever becomes of it: ${verb}`, async () => {
      const audience = memoryAudience(memorySubject())
      keepVersions(audience, '1')
      await say(audience, ann)
      expect(audience.journal.answers({ limit: 10 })).to.deep.equal([
        { environment: 'prod', verb, ...record, who: 'ann', via: 'control', atMs: audience.nowMs() },
      ])
    })
  }

  it('G13 by somebody who may not is refused, and changes nothing: reconcile', async () => {
    const subject = memorySubject()
    expect(await refused(requestPasses(memoryAudience(subject), stranger, {}))).to.equal(
      'control-forbidden: eve may not reconcile',
    )
    expect(subject.asked).to.deep.equal([])
  })

  it('G18 a request for passes is on record with these alone', async () => {
    const subject = memorySubject()
    const audience = memoryAudience(subject)
    expect(await requestPasses(audience, ann, {})).to.deep.equal({ requested: 1 })
    expect(subject.asked).to.deep.equal(['request'])
    expect(audience.journal.answers({ limit: 10 })).to.deep.equal([])
  })

  it('G13 by the owner of the socket or of the journal may be everything, with or without a name', () => {
    expect(owner(undefined, 'control')).to.include({ who: 'unknown', via: 'control' })
    expect(owner('', 'control').who).to.equal('unknown')
    expect(
      sayings.map(([verb]) => verb).every(verb => owner('ann', 'command').may(verb as 'retry')),
    ).to.equal(true)
  })
})

/** All that an answer may write. */
function recordedIn({ journal }: Audience): unknown {
  return [
    journal.answers({ limit: 10 }),
    journal.approvals('prod', 'local', 0),
    journal.wordsOn('prod', id),
    journal.suspensions('prod', 0),
    journal.heldVersions('prod'),
  ]
}
