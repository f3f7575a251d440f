import { expect } from 'chai'
import type { Journal } from '../../../../lib/journal/journal.ts'
import type { Version } from '../../../../lib/state/image/version.ts'
import { memoryJournal } from '../../../support/memory/memory-journal.ts'

/** A version by its images, each a tag: `shop 1 2`. */
function version(text: string, parts: Partial<Version> = {}): Version {
  const [application = '', ...tags] = text.split(' ')
  const images = tags.map(tag => ({ reference: `web:${tag}`, digest: `sha256:${tag}` }))
  return { environment: 'prod', site: 'local', application, images, ...parts }
}

/** What is remembered of a site, newest first. */
function told(journal: Journal, site = 'local'): readonly string[] {
  return journal
    .versions(site)
    .map(({ application, images }) =>
      [application, ...images.map(({ reference }) => reference.slice(4))].join(' '),
    )
}

describe('journal: versions that ran', () => {
  it('A6 X8 are remembered once each, the newest first', () => {
    const journal = memoryJournal()
    for (const text of ['shop 1', 'shop 2', 'blog 1', 'shop 2', 'shop 3 4', 'shop 4 3'])
      journal.setVersion(version(text))
    expect(told(journal)).to.deep.equal(['shop 3 4', 'blog 1', 'shop 2', 'shop 1'])
    expect(journal.versions('local').at(0)).to.deep.equal({
      environment: 'prod',
      site: 'local',
      application: 'shop',
      images: [
        { reference: 'web:3', digest: 'sha256:3' },
        { reference: 'web:4', digest: 'sha256:4' },
      ],
    })
  })

  it('A6 are the newest again once they run again', () => {
    const journal = memoryJournal()
    for (const text of ['shop 1', 'shop 2', 'shop 3', 'shop 1']) journal.setVersion(version(text))
    expect(told(journal)).to.deep.equal(['shop 1', 'shop 3', 'shop 2'])
  })

  it('A6 are told apart by environment, site and application', () => {
    const journal = memoryJournal()
    for (const parts of [{}, { environment: 'staging' }, { site: 'store-1' }, { application: 'blog' }])
      journal.setVersion(version('shop 1', parts))
    expect(told(journal)).to.deep.equal(['blog 1', 'shop 1', 'shop 1'])
    expect(told(journal, 'store-1')).to.deep.equal(['shop 1'])
  })

  it('A6 forget images that are gone, and are forgotten with their last', () => {
    const journal = memoryJournal()
    for (const text of ['shop 1', 'shop 1 2', 'shop 3']) journal.setVersion(version(text))
    journal.setVersion(version('shop 1', { site: 'store-1' }))
    journal.forgetImages({ environment: 'prod', site: 'local' }, ['sha256:1'])
    expect(told(journal)).to.deep.equal(['shop 3', 'shop 2'])
    expect(told(journal, 'store-1')).to.deep.equal(['shop 1'])
    journal.setVersion(version('shop 1 2'))
    expect(told(journal)).to.deep.equal(['shop 1 2', 'shop 3', 'shop 2'])
  })

  it('are none without an image that has a digest', () => {
    const journal = memoryJournal()
    journal.setVersion(version('shop'))
    expect(told(journal)).to.deep.equal([])
  })

  it('are the latest 100 of each application', () => {
    const journal = memoryJournal()
    journal.setVersion(version('blog 1'))
    for (let number = 1; number <= 105; number++) journal.setVersion(version(`shop ${number}`))
    const known = told(journal)
    expect([known.length, known.at(0), known.at(-2), known.at(-1)]).to.deep.equal([
      101,
      'shop 105',
      'shop 6',
      'blog 1',
    ])
  })
})
