import { posix } from 'node:path'
import type { Document } from '../../document/document.ts'
import { parseJson } from '../../document/json.ts'
import { parseYaml } from '../../document/yaml.ts'
import { Failure, type Position, type Problem } from '../../errors.ts'
import { isRecord } from '../../object.ts'
import { checkSchema, withoutFaults } from '../../schema.ts'
import type { Deployment } from '../../state/fleet/deployment.ts'
import { documentNameOf } from '../../state/repository/layout.ts'
import { isWithin } from '../../text/in-directory.ts'
import type { PatternCost } from '../read/label-expression.ts'
import { problemsOfFile } from '../specification/specification.ts'
import { rootOf } from '../spot.ts'
import type { ApplicationDeploymentSpecification } from './deployment.gen.ts'
import { readDeployment } from './read.ts'

/** The content of a file under `deployments/`, or why it cannot be used. */
export type DeploymentFile =
  | {
      readonly state: 'valid'
      readonly file: string
      readonly deployment: Deployment
      readonly nameAt: Position
      readonly applicationAt: Position
      /** Where its label expressions stand, as far as it has them. */
      readonly placementAt: Position
      readonly canaryAt: Position
      /** Words and values, and the parts of regular expressions: what reading it cost. */
      readonly tokens: number
    }
  | {
      readonly state: 'invalid'
      readonly file: string
      readonly problems: readonly [Problem, ...Problem[]]
      /** What it says of its application; absent: nothing that can be told. */
      readonly application?: string
      /** The same of what was read; absent: reading stopped early. */
      readonly tokens?: number
    }
  /** It is not where such files are read, or has another ending. */
  | {
      readonly state: 'stray'
      readonly file: string
      readonly problem: Problem
      /** What it says of its application; absent: nothing that can be told. */
      readonly application?: string
      readonly tokens?: number
    }

/** A file of a deployment in which nothing is wrong. */
export type ValidDeployment = Extract<DeploymentFile, { state: 'valid' }>
type Invalid = Extract<DeploymentFile, { state: 'invalid' }>

/** Parses one application deployment specification, and finds all its problems at once. */
export function parseDeployment(file: string, text: string): ValidDeployment | Invalid {
  const document = documentOf(file, text)
  if (!('value' in document)) return document
  const cost = { parts: 0 }
  const read = readWhole(document, cost)
  const tokens = document.tokens + cost.parts
  return 'deployment' in read
    ? {
        ...{ state: 'valid', file, ...read, tokens },
        nameAt: document.position('/name'),
        applicationAt: document.position('/application'),
        placementAt: document.position('/placement/match-site-labels'),
        canaryAt: document.position('/deploy-to-sites/canary-sites/match-site-labels'),
      }
    : { state: 'invalid', file, ...read, tokens, ...applicationIn(document) }
}

/** If a file cannot be parsed, a line of it may still say which application it is about. */
function documentOf(file: string, text: string): Document | Invalid {
  try {
    return file.endsWith('.json') ? parseJson(file, text) : parseYaml(file, text)
  } catch (error) {
    const [, application] = applicationLine.exec(text) ?? []
    const problems = problemsOfFile(error, file)
    return { state: 'invalid', file, problems, ...(application === undefined ? {} : { application }) }
  }
}

const name = '[a-zA-Z0-9][a-zA-Z0-9_.-]{0,62}'
const applicationLine = new RegExp(`^[ {]*["']?application["']? ?: ?["']?(${name})`, 'm')
const applicationName = new RegExp(`^${name}$`)

/** What is no name at all is about no application that exists, so the deployment stands for itself. */
function applicationIn({ file, value }: Document): { readonly application?: string } {
  const application = isRecord(value) ? value['application'] : undefined
  if (typeof application !== 'string') return {}
  return { application: applicationName.test(application) ? application : nameOf(file) }
}

function nameOf(file: string): string {
  return documentNameOf(posix.basename(file))
}

/** Reads what the schema leaves of it too, so that all problems are found. */
function readWhole(
  document: Document,
  cost: PatternCost,
): Pick<ValidDeployment, 'deployment'> | Pick<Invalid, 'problems'> {
  const broken = checkSchema('deployment', document)
  const problems = [...broken, ...misnamed(document)]
  const rest = broken.length === 0 ? { document, without: [] } : withoutFaults('deployment', document)
  // A problem at a place with something missing in it may only follow from that.
  const note = (problem: Problem, pointer: string) => {
    if (!rest?.without.some(one => isWithin(pointer, one) || isWithin(one, pointer))) problems.push(problem)
  }
  const deployment =
    rest && readDeployment(writtenIn(rest.document), rootOf(rest.document, note, 'deployment-invalid'), cost)
  const [first, ...more] = problems
  if (first !== undefined) return { problems: [first, ...more] }
  if (deployment === undefined) throw new Failure('internal', `${document.file} says nothing and is valid`)
  return { deployment }
}

/** The schema guarantees the type, which was generated from it. */
function writtenIn({ value }: Document): ApplicationDeploymentSpecification {
  return value as ApplicationDeploymentSpecification
}

function misnamed({ file, value, position }: Document): readonly Problem[] {
  const name = isRecord(value) ? value['name'] : undefined
  const known = nameOf(file)
  if (typeof name !== 'string' || name === known) return []
  const message = `/name is "${name}", and the file is named ${known}`
  return [{ code: 'name-mismatch', message, position: position('/name') }]
}
