/**
 * The catalogue of everything that can go wrong, and the one error type that carries it.
 * docs/errors.md documents every code here; a test holds the two together.
 */

/** What the loop does next: `never` waits for a change of input, `backoff` tries again by itself. */
export type Retry = 'never' | 'backoff'

type Entry = { readonly meaning: string; readonly hint: string; readonly retry: Retry }

/** Every error code with its meaning, the default hint, and what the loop does next. */
export const catalogue = {
  // usage and configuration
  'wrong-usage': {
    meaning: 'The command line is not understood.',
    hint: 'Run "tallyman --help".',
    retry: 'never',
  },
  'config-invalid': {
    meaning: 'The configuration file or a flag holds a value that is not allowed.',
    hint: 'Correct the key named in the message.',
    retry: 'never',
  },
  // registries
  'digest-mismatch': {
    meaning: "The registry's tag leads to another digest than the manifest demands.",
    hint: 'Correct dockerTag or dockerDigest, or find out who moved the tag.',
    retry: 'backoff',
  },
  'image-not-found': {
    meaning: 'The registry has no such image.',
    hint: 'Push the image, or correct its name or tag.',
    retry: 'backoff',
  },
  'registry-denied': {
    meaning: 'The registry refuses access to the image.',
    hint: 'Check the name and the login under "registries" in the configuration.',
    retry: 'backoff',
  },
  'registry-unreachable': {
    meaning: 'The registry does not answer as a registry should.',
    hint: 'Check the registry and the network; it is tried again by itself.',
    retry: 'backoff',
  },
  'registry-rate-limited': {
    meaning: 'The registry answers no more for now: too many requests.',
    hint: 'Wait, log in, or use a mirror; it is tried again by itself.',
    retry: 'backoff',
  },
  'registry-credentials-unreadable': {
    meaning: 'The password file of a registry cannot be read.',
    hint: 'Check "passwordFile" under "registries" in the configuration.',
    retry: 'backoff',
  },
  'tag-unverified': {
    meaning: 'The demanded digest is on the engine, but no registry could say that the tag still means it.',
    hint: 'Nothing to do; it is checked again once the registry answers.',
    retry: 'backoff',
  },
  'image-unverified': {
    meaning: 'Only the engine knows the image and it has no repository digest: it cannot be verified.',
    hint: 'Push the image to a registry and name it there.',
    retry: 'never',
  },
  // HTTP, where no better word is known
  'http-unreachable': {
    meaning: 'A server cannot be reached, or the connection to it broke off.',
    hint: 'Check the address and the network; it is tried again by itself.',
    retry: 'backoff',
  },
  'http-timeout': {
    meaning: 'A server did not answer in time.',
    hint: 'Check the server and the network; it is tried again by itself.',
    retry: 'backoff',
  },
  'http-too-large': {
    meaning: 'A server answers with more bytes than are accepted.',
    hint: 'Check that the address is the right one.',
    retry: 'backoff',
  },
  'http-redirect-refused': {
    meaning: 'A server leads to another host, which is not followed because credentials would go there too.',
    hint: 'Configure the address it leads to, if it is to be trusted.',
    retry: 'never',
  },
  // the manifests repository
  'repository-invalid': {
    meaning: 'The address of the repository is of no kind that can be read.',
    hint: 'Give an http(s):// or file:// address, or the path of a repository or directory.',
    retry: 'never',
  },
  'git-unreachable': {
    meaning: 'The git server does not answer as a git server should.',
    hint: 'Check the server and the network; it is tried again by itself.',
    retry: 'backoff',
  },
  'git-auth-failed': {
    meaning: 'The git server refuses the credentials, or wants some.',
    hint: 'Check "auth" under "repository" in the configuration.',
    retry: 'backoff',
  },
  'git-credentials-unreadable': {
    meaning: 'The password or token file of the repository cannot be read.',
    hint: 'Check "auth" under "repository" in the configuration.',
    retry: 'backoff',
  },
  'git-not-found': {
    meaning: 'There is no repository at the address; many servers say so too when credentials are missing.',
    hint: 'Check "url" and "auth" under "repository" in the configuration.',
    retry: 'backoff',
  },
  'git-redirected': {
    meaning:
      'The git server leads to another host, which is not followed because credentials would go there too.',
    hint: 'Set "url" under "repository" to the address it leads to, if it is to be trusted.',
    retry: 'backoff',
  },
  'ref-not-found': {
    meaning: 'The repository has no such branch, tag or commit.',
    hint: 'Check "ref" under "repository" in the configuration.',
    retry: 'backoff',
  },
  'commit-unreachable': {
    meaning: 'The repository no longer has the commit, or does not hand it out.',
    hint: 'Look for a force-push; a branch or tag on the commit makes it readable again.',
    retry: 'backoff',
  },
  'repository-corrupt': {
    meaning: 'Objects of the repository are missing or damaged.',
    hint: 'Run "git fsck" in the repository.',
    retry: 'backoff',
  },
  'repository-unsupported': {
    meaning: 'The repository uses a format that tallyman does not read.',
    hint: 'Use a repository with SHA-1 object names and the files ref format.',
    retry: 'never',
  },
  'repository-too-large': {
    meaning: 'The repository exceeds a limit: bytes, objects, files or depth.',
    hint: 'Keep manifests in a repository of their own; docs/operations.md lists the limits.',
    retry: 'never',
  },
  'git-store-unwritable': {
    meaning: 'What is fetched from the git server cannot be kept in the state directory.',
    hint: 'Check "stateDir" in the configuration: free space and permissions.',
    retry: 'backoff',
  },
  'watch-failed': {
    meaning: 'A directory can no longer be watched for changes; it is still looked at now and then.',
    hint: 'Raise the limit of the operating system (fs.inotify.max_user_watches), or watch a smaller directory.',
    retry: 'backoff',
  },
  'path-forbidden': {
    meaning: 'A path is absolute, leads out of the repository, or passes through a symlink or submodule.',
    hint: 'Name a regular file of the repository, relative to its root.',
    retry: 'never',
  },
  'file-missing': {
    meaning: 'A file that is needed is not in the repository.',
    hint: 'Add the file, or correct the path.',
    retry: 'never',
  },
  'file-too-large': {
    meaning: 'A file is larger than a manifest may be.',
    hint: 'Split the file, or take what is not manifest out of the repository.',
    retry: 'never',
  },
  'file-not-text': {
    meaning: 'A file is not valid UTF-8 text.',
    hint: 'Save the file as UTF-8.',
    retry: 'never',
  },
  internal: {
    meaning: 'A defect in tallyman itself.',
    hint: 'Please report it together with the log.',
    retry: 'backoff',
  },
  // JSON and YAML files
  'json-invalid': {
    meaning: 'A file is not standard JSON (RFC 8259).',
    hint: 'Correct the syntax at the place named; comments and trailing commas are not JSON.',
    retry: 'never',
  },
  'yaml-invalid': {
    meaning: 'A file is not YAML 1.2, or uses what is not accepted: own tags, several documents.',
    hint: 'Correct the syntax at the place named.',
    retry: 'never',
  },
  'duplicate-key': {
    meaning: 'An object holds the same key twice.',
    hint: 'Keep one of the two.',
    retry: 'never',
  },
  'document-too-complex': {
    meaning: 'A file is too long, too deeply nested, or its aliases unfold to too many values.',
    hint: 'Write it out plainly, or split it.',
    retry: 'never',
  },
  // manifests
  'manifest-invalid': {
    meaning: 'A manifest does not follow its schema.',
    hint: 'Correct the line named in the message; docs/manifests.md lists every key.',
    retry: 'never',
  },
  'include-cycle': {
    meaning: 'A manifest includes itself, directly or through others.',
    hint: 'Take one of the includes of the named chain out.',
    retry: 'never',
  },
  'include-invalid': {
    meaning: 'An include is no path of a regular file inside the repository.',
    hint: 'Write the path relative to the file that includes it, with "/" between directories.',
    retry: 'never',
  },
  'too-many-includes': {
    meaning: 'The includes of a manifest are nested too deeply, or are too many.',
    hint: 'Include fewer files; docs/manifests.md names the limits.',
    retry: 'never',
  },
  'duplicate-service': {
    meaning:
      'One file names a service twice; in two files it is a warning, and the later definition is taken whole.',
    hint: 'Keep one of the two.',
    retry: 'never',
  },
  'environment-not-found': {
    meaning: 'The repository has no such environment, or none at all.',
    hint: 'Add environments/NAME/manifest.json, or name one that exists with --environment.',
    retry: 'never',
  },
  'environment-ambiguous': {
    meaning: 'Several environments could be meant.',
    hint: 'Name one with --environment, or keep each environment in one place.',
    retry: 'never',
  },
  'environment-invalid': {
    meaning: 'The name of an environment cannot be part of the name of a container.',
    hint: 'Rename the directory.',
    retry: 'never',
  },
  // how things run: application specifications
  'application-invalid': {
    meaning: 'An application specification does not follow its schema or the grammar of a value.',
    hint: 'Correct the line named in the message; docs/manifests.md lists every key.',
    retry: 'never',
  },
  'name-mismatch': {
    meaning: 'The name inside an application specification is not the base name of its file.',
    hint: 'Rename the file, or change "name" in it.',
    retry: 'never',
  },
  'duplicate-application': {
    meaning: 'Two files describe one application.',
    hint: 'Keep one of the two files.',
    retry: 'never',
  },
  'nothing-to-run': {
    meaning:
      'A service of the manifest names no containers, and no application specification says what it runs.',
    hint: 'Give the service a "containers" list, or add an application specification of its name under applications/.',
    retry: 'never',
  },
  'container-unmatched': {
    meaning:
      'An entry of "containers" in the manifest pins an image that the application specification does not name.',
    hint: 'Set "dockerName" to the name of an image in the application specification.',
    retry: 'never',
  },
  'image-invalid': {
    meaning: 'An image reference is not spelled as Docker spells them.',
    hint: 'Write it as registry/name:tag, in lower case but for the tag.',
    retry: 'never',
  },
  'policy-violation': {
    meaning: "A container asks for power over the host that the operator's policy does not grant.",
    hint: 'Leave it out, or have the operator allow it under "policy" in tallyman.yaml.',
    retry: 'never',
  },
  'secret-missing': {
    meaning: 'An application needs a secret that nobody has.',
    hint: 'Add it to one of the providers under "secrets" in tallyman.yaml, or correct its name.',
    retry: 'backoff',
  },
  'secrets-unreadable': {
    meaning: 'A place that secrets come from, or one secret in it, cannot be read.',
    hint: 'Correct the path or the rights of what the message names.',
    retry: 'backoff',
  },
  'secrets-undecryptable': {
    meaning: 'The secrets that the repository keeps with SOPS cannot be decrypted.',
    hint: 'Encrypt the file with SOPS for an age key whose private half is in "secrets.ageKeyFile", SOPS_AGE_KEY_FILE or SOPS_AGE_KEY.',
    retry: 'backoff',
  },
  'secrets-tampered': {
    meaning: 'A file of secrets was changed without SOPS: its message authentication code does not fit.',
    hint: 'Find out who changed it and why, restore the last good version, and change it with "sops edit".',
    retry: 'never',
  },
  'secrets-exposed': {
    meaning: 'Every user of the host may read a secret.',
    hint: 'Take the right away: chmod o-r.',
    retry: 'never',
  },
  'no-effect': {
    meaning: 'A key of an application specification has no meaning on one Docker host.',
    hint: 'Nothing is to be done; it may stay for other tools.',
    retry: 'never',
  },
  'requires-unsatisfied': {
    meaning: 'An application that this one requires is missing, blocked, or has a version outside the range.',
    hint: 'Add the other application to the manifest, or correct its "version" or the range.',
    retry: 'never',
  },
  'requires-cycle': {
    meaning: 'Applications require one another in a circle.',
    hint: 'Take one of the named requirements out.',
    retry: 'never',
  },
  'route-taken': {
    meaning: 'Two applications claim the same requests: one host, and one path.',
    hint: 'Give one of them another host or path; until then both stay as they run.',
    retry: 'never',
  },
  'name-reserved': {
    meaning: 'An application has the name of the ingress.',
    hint: 'Give it another name.',
    retry: 'never',
  },
  'size-not-enforced': {
    meaning: 'A size is given for an ephemeral volume, which Docker does not limit.',
    hint: 'Use "tmpfs: {size}" where the limit must hold.',
    retry: 'never',
  },
  // what is left alone for now
  suspended: {
    meaning: 'The environment or the application is suspended by a person.',
    hint: 'Run "tallyman resume" when it may go on.',
    retry: 'never',
  },
  'empty-desired-state': {
    meaning: 'The manifest wants nothing at all while something runs. That never removes anything.',
    hint: 'Check the last commit; if it is meant, remove the containers by hand.',
    retry: 'never',
  },
  'prune-never': {
    meaning: 'A service is no longer in the manifest and "prune: never" only reports that.',
    hint: 'Set "prune: confirm" to be asked for its removal.',
    retry: 'never',
  },
  'drift-reported': {
    meaning: 'What runs was changed by hand and "drift: report" only reports that.',
    hint: 'Set "drift: repair" to have it repaired.',
    retry: 'never',
  },
  barred: {
    meaning: 'The deploy phase of this version failed before; such a version is never served.',
    hint: 'Deploy another version, or run "tallyman retry" to run deploy of this one again.',
    retry: 'never',
  },
  'not-restored': {
    meaning:
      'A rollout failed after its mid hook began, so that the old version is not started again: nothing serves.',
    hint: 'Commit a correction, or run "tallyman retry". To serve the old version, make sure that it can work with the data as the hook left them, and revert the commit.',
    retry: 'never',
  },
  quarantined: {
    meaning: 'This state of the service failed before and was put back; it is not tried again by itself.',
    hint: 'Commit a correction, or run "tallyman retry" to try the same again.',
    retry: 'never',
  },
  'no-upgrade-path': {
    meaning: 'No entry of "upgrade-from" leads from the version that runs to the one that is wanted.',
    hint: 'Deploy a version between the two first, or add an entry whose version-regexp matches what runs.',
    retry: 'never',
  },
  'dependency-held': {
    meaning: 'An application that this one requires cannot be changed now.',
    hint: 'See what is said of the other application.',
    retry: 'never',
  },
  'not-converging': {
    meaning:
      'A plan was applied and the very same plan is due again. Something else undoes it, or the engine does not keep it.',
    hint: 'Look for another tool that manages these containers; then run "tallyman retry".',
    retry: 'never',
  },
  interrupted: {
    meaning: 'The process was told to stop before this was done.',
    hint: 'Run it again; what is left is planned anew.',
    retry: 'backoff',
  },
  'engine-unreachable': {
    meaning: 'The Docker Engine does not answer.',
    hint: 'Check that dockerd runs and that the endpoint of the site is right.',
    retry: 'backoff',
  },
  'engine-denied': {
    meaning: 'The Docker Engine does not let tallyman in.',
    hint: 'Check the permissions of its socket, or the certificates under "tls" of the site.',
    retry: 'backoff',
  },
  'engine-refused': {
    meaning: 'The Docker Engine refuses a call.',
    hint: 'The message ends with its own words.',
    retry: 'backoff',
  },
  'name-taken': {
    meaning: 'A container, network or volume that is not ours bears the name of one that is to be.',
    hint: 'Rename or remove it; tallyman touches nothing that is not its own.',
    retry: 'backoff',
  },
  'network-in-use': {
    meaning: 'A network is to be removed, but containers are still attached to it.',
    hint: 'Detach the containers named in the message.',
    retry: 'backoff',
  },
  'routes-refused': {
    meaning: 'The ingress does not take the configuration made of the routes; it goes on with what it had.',
    hint: 'Correct the route or the certificate named in the message, or check the version of the ingress image.',
    retry: 'backoff',
  },
  'ingress-unreachable': {
    meaning: 'No ingress runs on the site, or the one that does says nothing of itself.',
    hint: 'See in "tallyman status" how tallyman-ingress is. It is made as soon as a service has a route.',
    retry: 'backoff',
  },
  'address-pool-empty': {
    meaning: 'The Docker Engine has no addresses left for another network.',
    hint: 'Remove networks nobody uses, or give dockerd more in "default-address-pools".',
    retry: 'backoff',
  },
  'port-taken': {
    meaning: 'A host port that is to be published is in use.',
    hint: 'Find out who listens there, or publish another port.',
    retry: 'backoff',
  },
  'mount-refused': {
    meaning: 'The Docker Engine cannot mount what the specification says.',
    hint: 'Check that the path exists on the host; it is never created by tallyman.',
    retry: 'backoff',
  },
  'files-refused': {
    meaning: 'The Docker Engine does not let files be written into a container.',
    hint: 'With "read_only: true" mount the whole volume of files in place of single files; else check that no file is in the way of a directory.',
    retry: 'never',
  },
  'start-refused': {
    meaning: 'The container cannot be started as it is specified.',
    hint: 'Check its command, entrypoint, user and working directory, and that the image is made for this machine.',
    retry: 'never',
  },
  'container-missing': {
    meaning: 'A container vanished while it was worked on.',
    hint: 'Look for somebody else who removes it; it is made again by itself.',
    retry: 'backoff',
  },
  'pull-failed': {
    meaning: 'An image cannot be pulled.',
    hint: 'Try "docker pull" on the host; it is tried again by itself.',
    retry: 'backoff',
  },
  unhealthy: {
    meaning: "A container's health check fails.",
    hint: 'Read the log of the container; the message ends with what the check said.',
    retry: 'never',
  },
  'job-failed': {
    meaning: 'A hook, an init container or a phase such as deploy ended with an exit code other than 0.',
    hint: 'Read its output in "tallyman show", or the log of its container, which is kept. Then commit a correction, or run "tallyman retry".',
    retry: 'never',
  },
  'job-timeout': {
    meaning: 'A hook or an init container did not end well within its time limit.',
    hint: 'Raise its timeoutSeconds, or find out what it waits for: its container is kept.',
    retry: 'never',
  },
  'rollout-timeout': {
    meaning: 'A rollout took longer, in all, than its progressDeadlineSeconds.',
    hint: 'Find out what it waited for in "tallyman show", or raise progressDeadlineSeconds of its strategy.',
    retry: 'never',
  },
  'exited-early': {
    meaning: 'A container exits, or is restarted, before it passed its health gate.',
    hint: 'Read the log of the container; the message ends with its last lines.',
    retry: 'never',
  },
  'health-timeout': {
    meaning: 'A container does not become healthy in time.',
    hint: 'Read the log of the container, or raise "timeoutSeconds" of the strategy.',
    retry: 'never',
  },
  superseded: {
    meaning: 'A newer commit arrived while a rollout waited; it goes first.',
    hint: 'Nothing is to be done.',
    retry: 'never',
  },
  'state-dir-unusable': {
    meaning: 'The state directory cannot be made or written.',
    hint: 'Name a directory that may be written with --state-dir, TALLYMAN_STATE_DIR or "stateDir".',
    retry: 'never',
  },
  'tag-moved': {
    meaning:
      'A tag means another image by now than when the commit was resolved. What runs is left as it is.',
    hint: 'Commit the digest or a new tag to follow it.',
    retry: 'never',
  },
  'plan-changed': {
    meaning:
      'The plan is not the one that was named any more: what is wanted or what runs has changed since.',
    hint: 'Look at the plan again and name its id.',
    retry: 'never',
  },
  'digest-unknown': {
    meaning: 'No registry said what an image is, and nothing that runs shows it either.',
    hint: 'Check the registry; nothing of this application is touched until it answers.',
    retry: 'backoff',
  },
  'another-writer': {
    meaning: 'Another tallyman on this machine already runs this environment on this engine.',
    hint: 'Use "tallyman status" and "tallyman approve" with the one that runs, or stop it.',
    retry: 'backoff',
  },
  'daemon-unreachable': {
    meaning: 'No daemon answers on the control socket.',
    hint: 'Start "tallyman daemon", or name its state directory with --state-dir.',
    retry: 'never',
  },
  // the journal
  'journal-corrupt': {
    meaning: 'The file that holds history and decisions is damaged.',
    hint: 'Stop tallyman, move tallyman.sqlite and the files named after it out of the state directory, and start again: history and approvals are lost, nothing that runs is touched.',
    retry: 'never',
  },
  'journal-newer': {
    meaning: 'The journal was made by a later version of tallyman.',
    hint: 'Run that version again, or move tallyman.sqlite out of the state directory to start without history.',
    retry: 'never',
  },
  'journal-unusable': {
    meaning: 'The journal cannot be opened, read or written.',
    hint: 'Check that the state directory exists and that its files belong to the user tallyman runs as.',
    retry: 'backoff',
  },
  'journal-busy': {
    meaning: 'Another process has held the journal for too long.',
    hint: 'Look for a second tallyman on the same state directory.',
    retry: 'backoff',
  },
  'disk-full': {
    meaning: 'There is no space left on the disk.',
    hint: 'Make room; nothing that runs is touched meanwhile.',
    retry: 'backoff',
  },
} as const satisfies Record<string, Entry>

export type ErrorCode = keyof typeof catalogue

/** A place in a file of the repository; lines and columns count from 1. */
export type Position = { readonly file: string; readonly line?: number; readonly column?: number }

/** Something wrong, or worth a warning, in an input file. */
export type Problem = {
  readonly code: ErrorCode
  readonly message: string
  readonly position?: Position
  readonly hint?: string
}

/**
 * The one error of this project. `message` says where first, then what; `hint` says what to do.
 * Foreign errors are translated once, at the edge, and kept as `cause`.
 */
export class Failure extends Error {
  readonly code: ErrorCode
  readonly hint: string
  readonly retry: Retry
  readonly resource: string | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: { hint?: string; cause?: unknown; resource?: string } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'Failure'
    this.code = code
    this.hint = options.hint ?? catalogue[code].hint
    this.retry = catalogue[code].retry
    this.resource = options.resource
  }
}

/** Input files that cannot be used: carries all problems at once, in file order. */
export class InvalidInput extends Failure {
  readonly problems: readonly Problem[]

  constructor(problems: readonly [Problem, ...Problem[]]) {
    super(
      problems[0].code,
      problems.map(formatProblem).join('\n'),
      problems[0].hint === undefined ? {} : { hint: problems[0].hint },
    )
    this.name = 'InvalidInput'
    this.problems = problems
  }
}

/** `file:line:column: message (code)`, the form editors understand. */
export function formatProblem(problem: Problem): string {
  return `${formatPosition(problem.position)}${problem.message} (${problem.code})`
}

function formatPosition(position: Position | undefined): string {
  if (position === undefined) return ''
  const { file, line, column } = position
  return line === undefined ? `${file}: ` : `${file}:${line}:${column ?? 1}: `
}

/** Any thrown value as a Failure; what nobody translated is a defect of ours (`internal`). */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  const message = error instanceof Error ? error.message : String(error)
  return new Failure('internal', message, { cause: error })
}
