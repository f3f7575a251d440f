import { expect } from 'chai'
import { createRedaction } from '../../../../../lib/reconcile/repository/secrets/redaction.ts'
import { loadSecrets } from '../../../../../lib/secrets/load.ts'
import { snapshotOf } from '../../../../support/builders/snapshot.ts'

describe('what is hidden in one environment', () => {
  it('G16 is what was learned, also what was changed since', () => {
    const redaction = createRedaction()
    redaction.learn(['old-word'])
    expect(redaction.redact('old-word new-word')).to.equal('[REDACTED] new-word')
    redaction.learn(['new-word'])
    expect(redaction.redact('old-word new-word')).to.equal('[REDACTED] [REDACTED]')
  })

  it('G16 is what was composed as a whole, and the password in it, and no other part', () => {
    const redaction = createRedaction()
    redaction.learnComposed('postgres://shop:hunter22@database/shop')
    expect(redaction.redact('postgres://shop:hunter22@database/shop')).to.equal('[REDACTED]')
    expect(redaction.redact('hunter22 at database for shop')).to.equal('[REDACTED] at database for shop')
  })

  it('G16 is every secret that there is, before anybody asks for one, and what is made of them', async () => {
    const redaction = createRedaction()
    const secrets = await loadSecrets(snapshotOf({}), 'environments/prod', {
      config: {},
      env: { TALLYMAN_SECRET_DB_PASSWORD: 'hunter22', OTHER: 'nobody-says' },
      key: Buffer.from('key'),
      memory: {},
      redaction,
    })
    expect(redaction.redact('hunter22 nobody-says')).to.equal('[REDACTED] nobody-says')
    secrets.compose('made-of-it')
    expect(redaction.redact('made-of-it')).to.equal('[REDACTED]')
  })

  it('G16 is a secret in all its forms, also if a text of the same words was composed before', () => {
    const redaction = createRedaction()
    redaction.learnComposed('hunter 22')
    redaction.learn(['hunter 22'])
    expect(redaction.redact('hunter%2022')).to.equal('[REDACTED]')
  })
})
