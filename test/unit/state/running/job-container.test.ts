import { expect } from 'chai'
import { isKeptContainer, keptName, nameBefore } from '../../../../lib/state/running/job-container.ts'

describe('a container that was put away', () => {
  it('H9 is known by the end of its name, and has its former name in front of it', () => {
    const engineName = keptName('prod.web.1.0123abcd', 'f00dcafe')
    expect(engineName).to.equal('prod.web.1.0123abcd.kept-f00dca')
    expect(isKeptContainer({ engineName })).to.equal(true)
    expect(nameBefore(engineName)).to.equal('prod.web.1.0123abcd')
  })

  it('G10 is nothing of an environment or a service that somebody named like that', () => {
    for (const engineName of ['prod.web.kept-f00dca.1.0123abcd', 'a.kept-x.web.1.0123abcd.app']) {
      expect(isKeptContainer({ engineName }), engineName).to.equal(false)
      expect(nameBefore(engineName)).to.equal(engineName)
    }
  })
})
