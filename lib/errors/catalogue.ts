/**
 * The catalogue of everything that can go wrong. docs/errors.md documents every code in it; a test ensures that both
 * agree.
 */

/** What the loop does next: `never` waits for a change of input, `backoff` tries again by itself. */
export type Retry = 'never' | 'backoff'

type Entry = {
  readonly meaning: string
  readonly hint: string
  /** The hint for a user without a daemon; absent: the same, with `apply --retry` for `retry`. */
  readonly alone?: string
  readonly retry: Retry
}

const again =
  'If another attempt stops nothing that runs, tallyman tries again by itself, with growing pauses; otherwise run "tallyman retry".'

/** Every error code with its meaning, the default hint, and what the loop does next. */
export const catalogue = {
  // usage and configuration
  'output-lost': {
    meaning: 'The output of a command cannot be written. The command itself goes on.',
    hint: 'Send the output to a file or program that accepts it, and run the command again. What the command has done so far stays done.',
    retry: 'never',
  },
  'wrong-usage': {
    meaning: 'The command line is not understood.',
    hint: 'Run the same command with "--help", which lists its arguments and options.',
    retry: 'never',
  },
  'config-invalid': {
    meaning: 'The configuration file or a flag holds a value that is not allowed.',
    hint: 'Correct the key named in the message.',
    retry: 'never',
  },
  // Swarms
  'swarm-unavailable': {
    meaning:
      'The engine of a site that is a Swarm cannot be asked as a manager: it is none, its Swarm is locked or has no leader, or that does not answer.',
    hint: 'Unlock it, name a manager of the Swarm as the endpoint of the site, or bring the Swarm back; tallyman tries again by itself.',
    retry: 'backoff',
  },
  'swarm-unused': {
    meaning:
      'The engine of a site manages a Swarm, and the configuration does not say what the site is. It is taken for one host.',
    hint: 'Say "kind: swarm" at the site, and applications run on the Swarm. Or say "kind: host", and it stays one host without this warning.',
    retry: 'never',
  },
  'site-kind-changed': {
    meaning:
      'A site was a Swarm and is now said to be a host, or the other way round, while applications of the environment run there. They would run twice, because neither kind sees what runs as the other one. Nothing is touched there.',
    hint: 'Say "kind" as it was before. For the other kind, add a site of another name with the same endpoint, and move applications there with their deployments.',
    retry: 'never',
  },
  'requires-elsewhere': {
    meaning:
      'An application requires another one, and the deployment of that does not mean this site. Nothing waits here for what is on other sites.',
    hint: 'Have the deployments of both mean the same sites, unless the other one serves from elsewhere on purpose.',
    retry: 'never',
  },
  'volume-differs': {
    meaning:
      'A persistent volume exists with another driver or other options than are wanted. An engine keeps a volume as it was made, with its files.',
    hint: 'To keep it, write the "driver" and the "driver_opts" that it has. To have another one, give the volume another name: the files stay in the one that is there.',
    retry: 'never',
  },
  'volume-gone': {
    meaning:
      'A persistent volume of something that ran is gone: somebody removed it, or the engine lost it. Where this is a repair, a new one is made in its place.',
    hint: 'Bring the files back from a backup, if they are needed. What starts now finds the volume empty, and so do the hooks of a plan that waits.',
    retry: 'never',
  },
  'swarm-made-anew': {
    meaning:
      'A site is another Swarm than the one on which something ran: that was left, and another one was made. What ran there is gone with it.',
    hint: 'If that was meant, nothing is to be done but to answer the plan, if it waits for that: everything is made as on an empty site. Otherwise correct "endpoint" and "managers" of the site.',
    retry: 'never',
  },
  'swarm-unsupported': {
    meaning: 'An application needs what a Swarm cannot do, so nothing of it is touched there.',
    hint: 'docs/swarm.md lists what a Swarm cannot do. Run the application on a host, or leave out what the message names.',
    retry: 'never',
  },
  'service-changed': {
    meaning: 'Somebody changed or removed a service of a Swarm, or a file of it, at the same time.',
    hint: 'Nothing to do: tallyman looks at it again, and plans anew.',
    retry: 'backoff',
  },
  'update-stopped': {
    meaning: 'A Swarm gave up the update of a service, because its new tasks failed.',
    hint: 'Correct the application in a commit; the message ends with what its tasks failed with.',
    retry: 'never',
  },
  'task-unplaced': {
    meaning:
      'A Swarm found no node for a task of a service within the time of its health gate, or can find none because the other tasks of the service have its ports on all nodes.',
    hint: 'The message ends with the words of the Swarm. Commit what asks for less memory or fewer ports; or add nodes, or the labels that it asks of them, and run "tallyman retry".',
    retry: 'never',
  },
  'nodes-lacking': {
    meaning:
      'What a service asks of the nodes of a Swarm is true of none of them: their labels, their platform, or the driver of a volume. Without such a node, its tasks find no place; without a label over which they are spread, they are spread over nodes alone.',
    hint: 'Correct what the message names. Or give a node the label with "docker node update --label-add LABEL=VALUE NODE", or the driver with "docker plugin install" on it.',
    retry: 'never',
  },
  'volume-per-node': {
    meaning:
      'A service keeps data in a volume that each node of a Swarm has of its own, and more than one node may run its tasks. An update may put a task on another node, and the data stay on the one before.',
    hint: 'Choose one node with "placement: {match-host-labels: …}" at the service, by a label that only this node has. Or give the volume a driver, or the driver_opts of a share, with which all nodes have the same one. Nothing to do if the data may be lost, as those of a cache.',
    retry: 'never',
  },
  // registries
  'digest-mismatch': {
    meaning:
      'In the registry, the tag points to another digest than the manifest or the specification requires.',
    hint: 'Correct dockerTag or dockerDigest, or in a pod the "id" of the image, or have the tag moved back.',
    retry: 'backoff',
  },
  'image-not-found': {
    meaning: 'The registry has no such image.',
    hint: 'Push the image, or correct its name or tag.',
    retry: 'backoff',
  },
  'registry-denied': {
    meaning: 'The registry refuses access to the image.',
    hint: 'Correct the name of the image, or the login under "registries" in the configuration.',
    retry: 'backoff',
  },
  'registry-unreachable': {
    meaning: 'The registry does not answer as a registry should.',
    hint: 'Check the registry and the network; tallyman tries again by itself.',
    retry: 'backoff',
  },
  'registry-rate-limited': {
    meaning: 'The registry refuses further requests for now, because there were too many.',
    hint: 'Wait: tallyman tries again by itself. Registries usually allow more requests with a login under "registries" in the configuration, or through a mirror that the configuration names as "registry".',
    retry: 'backoff',
  },
  'registry-credentials-unreadable': {
    meaning: 'The password file of a registry cannot be read.',
    hint: 'Correct "passwordFile" under "registries" in the configuration, or the permissions of the file.',
    retry: 'backoff',
  },
  'version-twice': {
    meaning: 'A commit has a version of an application with other images than an earlier commit had.',
    hint: 'Give what has other images a version of its own.',
    retry: 'never',
  },
  'version-held': {
    meaning: 'Somebody holds an application at a version, so that it does not follow the commits.',
    hint: 'Resume the application to follow the commits again.',
    retry: 'never',
  },
  'rollback-refused': {
    meaning:
      'No commit can bring back that state without changing something else, or the state is not known.',
    hint: 'Revert it by hand with git, or hold the application with "tallyman rollback APP --now".',
    retry: 'never',
  },
  'push-impossible': {
    meaning:
      'No commit can be added to what is read: the ref is no branch, the commits have to be signed, or hooks of a local repository would be passed over.',
    hint: 'Write the change to a file with --patch FILE, and commit it with "git am --keep-cr FILE".',
    retry: 'never',
  },
  'push-refused': {
    meaning: 'The git server does not take the commit.',
    hint: 'Give the login the right to push. Or write the change to a file with --patch FILE, and commit it with "git am --keep-cr FILE".',
    retry: 'never',
  },
  'branch-moved': {
    meaning: 'The branch got other commits each time before the push arrived.',
    hint: 'Run the same command again.',
    retry: 'never',
  },
  'version-missing': {
    meaning: 'No such version of the application is kept, or none has been wanted yet.',
    hint: 'Commit that version, or name one that is kept.',
    retry: 'never',
  },
  'version-unclear': {
    meaning:
      'It is not plain which version is gone back to, because a site runs an older one than the version before the present one.',
    hint: 'Name the version that is meant with --to.',
    retry: 'never',
  },
  'version-unreadable': {
    meaning: 'The commit of a kept version cannot be read.',
    hint: 'Make sure that the git server still has the commit; tallyman tries again by itself.',
    retry: 'backoff',
  },
  'tag-unverified': {
    meaning:
      'The engine has the required digest, but no registry could confirm that the tag still points to it.',
    hint: 'Nothing to do; tallyman checks again once the registry answers.',
    retry: 'backoff',
  },
  'image-unverified': {
    meaning: 'Only the engine has the image, and no registry knows it, so it cannot be verified.',
    hint: 'Push the image to a registry, and use its name in that registry.',
    retry: 'never',
  },
  // HTTP, where no more specific code fits
  'http-unreachable': {
    meaning: 'A server cannot be reached, or the connection to it broke off.',
    hint: 'Check the address and the network; tallyman tries again by itself.',
    retry: 'backoff',
  },
  'http-timeout': {
    meaning: 'A server did not answer in time.',
    hint: 'Check the server and the network; tallyman tries again by itself.',
    retry: 'backoff',
  },
  'http-too-large': {
    meaning: 'The answer of a server is larger than tallyman accepts.',
    hint: 'Correct the address.',
    retry: 'backoff',
  },
  'http-redirect-refused': {
    meaning:
      'A server redirects to another host. The redirect is not followed, because credentials would go there too.',
    hint: 'If you trust that host, configure the address that the server redirects to.',
    retry: 'never',
  },
  // the manifests repository
  'repository-invalid': {
    meaning: 'The address of the repository is of a kind that tallyman does not support.',
    hint: 'Give an http(s)://, ssh:// or file:// address, an address such as git@host:path, or the path of a repository or directory.',
    retry: 'never',
  },
  'git-unreachable': {
    meaning: 'The git server does not answer as a git server should, or the directory cannot be read.',
    hint: 'Check the server and the network; tallyman tries again by itself.',
    retry: 'backoff',
  },
  'git-auth-failed': {
    meaning: 'The git server refuses the credentials, or requires some and got none.',
    hint: 'Correct "auth" under "repository" in the configuration, or give that account read access on the server.',
    retry: 'backoff',
  },
  'git-credentials-unreadable': {
    meaning: 'A file under "auth" of the repository cannot be read.',
    hint: 'Correct the path of the file under "auth" of "repository" in the configuration, or the permissions of the file.',
    retry: 'backoff',
  },
  'git-key-unusable': {
    meaning: 'The private key for the git server cannot be used in its present state.',
    hint: 'Make a key with "ssh-keygen -t ed25519 -N \'\' -f FILE", add FILE.pub to the account on the server, and name FILE with "repository: {auth: {sshKeyFile: …}}" in the configuration.',
    retry: 'backoff',
  },
  'git-host-unknown': {
    meaning: 'The git server is reached over SSH, and its host key is not one of the trusted keys.',
    hint: 'Run "ssh-keyscan -p PORT HOST", compare the key of the type that the error names with the one that the server\'s operators publish, and add its line to the file that "knownHostsFile" names.',
    retry: 'backoff',
  },
  'git-host-changed': {
    meaning:
      'The git server presents another host key than the trusted one. Either the key was replaced, or somebody intercepts the connection.',
    hint: 'Ask the server\'s operators whether the key was replaced. If so, put the new line in place of the old one in the file that "knownHostsFile" names.',
    retry: 'backoff',
  },
  'program-missing': {
    meaning: 'A program that tallyman needs is not installed on the system.',
    hint: "Install it where tallyman runs: OpenSSH's client for repositories over SSH and for SSH signatures, GnuPG for OpenPGP signatures.",
    retry: 'backoff',
  },
  'program-failed': {
    meaning:
      'A system program that tallyman uses cannot be started, refuses to run, or does not come to its end.',
    hint: 'Run the program by hand as the user that tallyman runs as, and correct what keeps it from starting or ending.',
    retry: 'backoff',
  },
  'git-not-found': {
    meaning:
      'There is no repository at the address. Many servers also say this when credentials are missing.',
    hint: 'Correct "url" under "repository" in the configuration, or add credentials as "auth" there.',
    retry: 'backoff',
  },
  'git-redirected': {
    meaning:
      'The git server redirects to another host. The redirect is not followed, because credentials would go there too.',
    hint: 'If you trust that host, set "url" under "repository" to the address that the server redirects to.',
    retry: 'backoff',
  },
  'ref-ambiguous': {
    meaning: 'Several commits of the repository begin with the digits given as "ref".',
    hint: 'Give more digits of the commit; all forty are never ambiguous.',
    retry: 'never',
  },
  'ref-not-found': {
    meaning: 'The repository has no such branch, tag or commit.',
    hint: 'Correct the name, which the command or "ref" under "repository" in the configuration gives, or push what it names.',
    retry: 'backoff',
  },
  'commit-unreachable': {
    meaning: 'The repository no longer has the commit, or the server does not hand it out.',
    hint: 'Point a branch or a tag at the commit, because a force-push may have removed the last one, or correct "ref" under "repository" in the configuration.',
    retry: 'backoff',
  },
  'signature-missing': {
    meaning: 'The commit or the tag must be signed, but is not.',
    hint: 'Sign the commit ("git commit --amend --no-edit -S") or the tag ("git tag -s -f"), and push it with --force.',
    retry: 'never',
  },
  'signature-bad': {
    meaning: 'The signature of the commit or the tag does not match its content.',
    hint: 'Find out who changed the commit or the tag after it was signed. Sign it again ("git commit --amend --no-edit -S" or "git tag -s -f"), and push it with --force.',
    retry: 'never',
  },
  'signature-untrusted': {
    meaning: 'The commit or the tag is signed with a key that is not trusted, or no longer trusted.',
    hint: 'Have it signed by somebody whose key is in the files that "verify: {keys: …}" names under "repository", or add the public key to these files if you trust it.',
    retry: 'never',
  },
  'signing-keys-unusable': {
    meaning: 'The public keys for verifying signatures cannot be used.',
    hint: 'Correct the files that "verify: {keys: …}" names under "repository": public keys from "gpg --armor --export", public SSH keys, or lines of allowed_signers.',
    retry: 'never',
  },
  'repository-corrupt': {
    meaning:
      'Objects of the repository are missing or damaged, or a directory in it is such as git itself never writes.',
    hint: 'Run "git fsck" in the repository, which names what is missing or damaged. Put that back, from another clone for instance.',
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
    meaning: 'The objects fetched from the git server cannot be stored in the state directory.',
    hint: 'Free disk space for "stateDir", or correct its path or permissions.',
    retry: 'backoff',
  },
  'watch-failed': {
    meaning: 'A directory can no longer be watched for changes; it is still looked at now and then.',
    hint: 'Nothing to do. To have changes noticed at once again, raise the limit of the operating system (fs.inotify.max_user_watches).',
    retry: 'backoff',
  },
  'path-forbidden': {
    meaning:
      'A path is absolute, leads out of the repository, passes through a symlink or submodule, or contains a backslash or a name that is not UTF-8.',
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
    hint: 'Split the file, or move everything that is not a manifest out of the repository.',
    retry: 'never',
  },
  'file-not-text': {
    meaning: 'A file is not valid UTF-8 text.',
    hint: 'Save the file as UTF-8.',
    retry: 'never',
  },
  internal: {
    meaning: 'A defect in tallyman itself.',
    hint: 'Report the message together with the log; there is nothing else to do.',
    retry: 'backoff',
  },
  // JSON and YAML files
  'json-invalid': {
    meaning: 'A file is not standard JSON (RFC 8259).',
    hint: 'Correct the syntax at the place named; comments and trailing commas are not JSON.',
    retry: 'never',
  },
  'yaml-invalid': {
    meaning:
      'A file is not YAML 1.2, or uses features that are not accepted: custom tags or several documents.',
    hint: 'Correct the syntax at the place named.',
    retry: 'never',
  },
  'duplicate-key': {
    meaning: 'An object holds the same key twice.',
    hint: 'Keep one of the two.',
    retry: 'never',
  },
  'document-too-complex': {
    meaning: 'A file is too long, too deeply nested, or its aliases expand to too many values.',
    hint: 'Shorten the file, or divide what it holds among several files.',
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
    hint: 'Remove one of the includes in the chain that the message names.',
    retry: 'never',
  },
  'include-invalid': {
    meaning: 'An include is not the path of a regular file inside the repository.',
    hint: 'Write the path relative to the file that includes it, with "/" between directories.',
    retry: 'never',
  },
  'too-many-includes': {
    meaning: 'A manifest has too many includes, or they are nested too deeply.',
    hint: 'Include fewer files; docs/manifests.md names the limits.',
    retry: 'never',
  },
  'duplicate-service': {
    meaning:
      'A file defines a service twice. When two files define it, that is only a warning: the later definition replaces the earlier one as a whole.',
    hint: 'Keep one of the two.',
    retry: 'never',
  },
  'confirmation-ignored': {
    meaning:
      'An included manifest, or that of a site, has "skipConfirmation", which counts only in the manifest of the environment itself.',
    hint: 'Move it to the manifest.json of the environment, or remove it.',
    retry: 'never',
  },
  'environment-not-found': {
    meaning: 'The repository has no such environment, or none at all.',
    hint: 'Add environments/NAME/manifest.json, or name an existing one with --environment. What runs of an environment that was deleted stays.',
    retry: 'never',
  },
  'environment-ambiguous': {
    meaning: 'Several environments match the name, or none was named and there are several.',
    hint: 'Give the directory of the environment instead of its name, or keep the environment in one place.',
    retry: 'never',
  },
  'manifest-misnamed': {
    meaning: 'A file beside or in place of a manifest.json has a name that tallyman does not read.',
    hint: 'Rename it to manifest.json and write it as JSON, or give it another name.',
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
    meaning: 'The name inside a specification is not the base name of its file.',
    hint: 'Rename the file, or change "name" in it.',
    retry: 'never',
  },
  'duplicate-application': {
    meaning: 'Two files describe one application.',
    hint: 'Keep one of the two files.',
    retry: 'never',
  },
  'application-too-large': {
    meaning:
      'An application would become too large once its replicas, port ranges, mounted files or variables are expanded.',
    hint: 'Reduce what the message names; docs/operations.md lists the limits.',
    retry: 'never',
  },
  'application-misnamed': {
    meaning:
      'A file or directory looks like an application specification, but tallyman does not look for one under its name.',
    hint: 'Rename it: specifications are named applications/NAME.yaml, .yml or .json, with NAME as the manifest spells it. Or give it another name.',
    retry: 'never',
  },
  // which sites applications run on: application deployment specifications
  'deployment-invalid': {
    meaning:
      'An application deployment specification does not follow its schema or the grammar of a value, or names an application that does not exist.',
    hint: 'Correct the line named in the message; docs/deployments.md lists every key, and describes label expressions.',
    retry: 'never',
  },
  'pod-invalid': {
    meaning: 'A pod manifest does not follow its schema, the grammar of a value, or the rules of pods.',
    hint: 'Correct the line named in the message; docs/pods.md lists every key.',
    retry: 'never',
  },
  'pod-unrunnable': {
    meaning:
      'A pod manifest is right by itself, and cannot run: an image leads to no registry, a port belongs to no app, or a limit is none that engines take.',
    hint: 'Correct the line named in the message; docs/pods.md says what engines carry out, key by key.',
    retry: 'never',
  },
  'pod-changed': {
    meaning:
      'Something in a pod manifest is not carried out as it is written: it is left out, or something else stands in its place.',
    hint: 'Nothing to do if what runs is what you mean; docs/pods.md says what becomes of every key.',
    retry: 'never',
  },
  'pod-strict': {
    meaning:
      'Something in a pod manifest would not be carried out as it is written, and "strict" allows no such thing.',
    hint: 'Correct the line named in the message; docs/pods.md says what becomes of every key. Without "strict", the pod runs with a warning.',
    retry: 'never',
  },
  'duplicate-deployment': {
    meaning: 'Two files describe one deployment, or two deployments are of one application.',
    hint: 'Keep one of the two files.',
    retry: 'never',
  },
  'deployment-misnamed': {
    meaning:
      'A file or directory looks like an application deployment specification, but tallyman does not look for one under its name.',
    hint: 'Rename it: these specifications are named deployments/NAME.yaml, .yml or .json. Or give it another name.',
    retry: 'never',
  },
  // what single sites get
  'site-misnamed': {
    meaning:
      'A directory below sites/ has the name of no site that runs the environment, or something in the directory of a site has a name that tallyman does not read there.',
    hint: 'Rename it: what is different on one site stands in environments/NAME/sites/SITE/, in manifest.json, variables.yaml, secrets.yaml and applications/. Or remove it.',
    retry: 'never',
  },
  'overlay-unmatched': {
    meaning:
      'The directory of a site changes a service, an application or a variable that the environment does not have.',
    hint: 'Correct the name, or remove the entry. To run something on some sites only, add it to the environment and give it a deployment.',
    retry: 'never',
  },
  'variables-invalid': {
    meaning: 'The variables of a site do not follow their schema.',
    hint: 'Write the applications, and below each the names of its variables with their values.',
    retry: 'never',
  },
  'specification-gone': {
    meaning:
      'An application runs as a specification described it, and the repository no longer has that specification. The application would be replaced by what the manifest alone says of it.',
    hint: 'Restore the specification. If you removed it on purpose, confirm the change as you confirm a removal.',
    retry: 'never',
  },
  'nothing-to-run': {
    meaning:
      'A service of the manifest lists no containers, and no application specification says what it runs. Nothing is started for it, and its old containers are removed as if the service had left the manifest.',
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
    meaning: 'An image reference does not follow the syntax of Docker.',
    hint: 'Write it as registry/name:tag, in lower case except for the tag.',
    retry: 'never',
  },
  'policy-violation': {
    meaning: "A container asks for power over the host that the operator's policy does not grant.",
    hint: 'Leave it out, or have the operator allow it under "policy" in tallyman.yaml.',
    retry: 'never',
  },
  'secret-missing': {
    meaning: 'An application needs a secret that no provider has.',
    hint: 'Add it to one of the providers under "secrets" in tallyman.yaml, or correct its name.',
    retry: 'backoff',
  },
  'secret-ambiguous': {
    meaning: 'Two secrets have names that would be read from the same environment variable.',
    hint: 'Use one of the two names everywhere, or provide the secrets as files or a SOPS document.',
    retry: 'backoff',
  },
  'secrets-unreadable': {
    meaning: 'A provider of secrets, or one of its secrets, cannot be read.',
    hint: 'Correct the path, the permissions or the content of the file that the message names.',
    retry: 'backoff',
  },
  'secrets-undecryptable': {
    meaning: 'The secrets that the repository keeps with SOPS cannot be decrypted.',
    hint: 'Encrypt the file with SOPS for an age key whose private half is in "secrets.ageKeyFile", SOPS_AGE_KEY_FILE or SOPS_AGE_KEY.',
    retry: 'backoff',
  },
  'secrets-tampered': {
    meaning:
      'A file of secrets was changed without SOPS: its message authentication code, or that of one of its values, does not match, or a value of it is not encrypted.',
    hint: 'Find out who changed it and why, restore the last good version, and change it with "sops edit".',
    retry: 'never',
  },
  'secrets-exposed': {
    meaning: 'Every user of the host may read a secret.',
    hint: 'Take the permission away: chmod o-r.',
    retry: 'never',
  },
  'no-effect': {
    meaning: 'A key of an application specification has no meaning on the sites of the environment.',
    hint: 'Nothing to do; the key may stay for other tools.',
    retry: 'never',
  },
  'requires-unsatisfied': {
    meaning: 'An application that this one requires is missing, blocked, or has a version outside the range.',
    hint: 'Add the other application to the manifest, or correct its "version" or the range.',
    retry: 'never',
  },
  'requires-cycle': {
    meaning: 'Applications require each other in a cycle.',
    hint: 'Remove one of the requirements that the message names.',
    retry: 'never',
  },
  'route-taken': {
    meaning:
      'Two applications claim the same requests on a site that is to have both: their routes have the same host and path, or one lies below the static files of the other.',
    hint: 'Give one of them another host or path, or let no site have both; until then both stay as they run.',
    retry: 'never',
  },
  'port-claimed': {
    meaning:
      'Two applications of an environment, or an application and the ingress, publish the same port of the host on a site that is to have both.',
    hint: 'Publish one of them on another port, or let no site have both; until then tallyman leaves the application that the manifest names later as it is.',
    retry: 'never',
  },
  'certificate-unobtainable': {
    meaning:
      'A route with `tls: auto` is for all hosts that a star stands for, no certificate of the operator names all of them, and public authorities sign none for the ingress.',
    hint: 'Put a certificate of the operator that names the host into "ingress.certificates" of tallyman.yaml, write a route for each host by its name, or "tls: internal".',
    retry: 'never',
  },
  'certificate-claimed': {
    meaning:
      'Routes of two applications share a host, on a site that is to have both, but ask for different kinds of certificates for it: one says `tls: auto`, the other `tls: internal`.',
    hint: 'Give both routes the same "tls", or another host to one of them; until then the application with the route / decides, or else the one that the manifest names first, and tallyman leaves the other one as it is.',
    retry: 'never',
  },
  'name-claimed': {
    meaning:
      'Two applications would have the same name on a network that both are on, on a site that is to have both. Upper and lower case make no difference in names.',
    hint: 'Rename a service, put the applications on different networks, or let no site have both; until then tallyman leaves the application that the manifest names later as it is.',
    retry: 'never',
  },
  'name-reserved': {
    meaning: 'An application, a service, a container or a host has a name that is reserved for tallyman.',
    hint: 'Give it another name.',
    retry: 'never',
  },
  'size-not-enforced': {
    meaning: 'A size is given for an ephemeral volume, but Docker does not enforce it.',
    hint: 'Use "tmpfs: {size}" where the limit must be enforced.',
    retry: 'never',
  },
  // what is left alone for now
  suspended: {
    meaning: 'The environment or the application is suspended by a person.',
    hint: 'Run "tallyman resume" when it may go on.',
    retry: 'never',
  },
  'empty-desired-state': {
    meaning:
      'The manifest asks for nothing that can run on any site, but containers of the environment run. Such a manifest never removes anything. Where applications are blocked, only why they are is an error: nothing else is removed until some of them can run.',
    hint: 'Revert the commit, or correct what the message names. If you want an empty environment, remove the containers by hand.',
    retry: 'never',
  },
  'prune-never': {
    meaning:
      'A service is no longer in the manifest or its specification, and "prune: never" only reports this.',
    hint: 'Set "prune: confirm" to be asked for its removal.',
    retry: 'never',
  },
  'drift-reported': {
    meaning: 'A running service was changed by hand, and "drift: report" only reports this.',
    hint: 'Set "drift: repair" to have it repaired.',
    retry: 'never',
  },
  barred: {
    meaning: 'The deploy phase of this version failed before; such a version is never served.',
    hint: 'Deploy another version, or run "tallyman retry" to run the deploy phase of this one again.',
    retry: 'never',
  },
  'not-restored': {
    meaning:
      'A rollout failed after its mid hook had begun. The old version is therefore not started again, and nothing serves.',
    hint: 'Commit a correction, or run "tallyman retry". To serve the old version, make sure that it can work with the data as the hook left them, and revert the commit.',
    retry: 'never',
  },
  quarantined: {
    meaning:
      'This release of the service failed before and was rolled back. Tallyman does not try it again by itself.',
    hint: 'Commit a correction, or run "tallyman retry" to try the same release again.',
    retry: 'never',
  },
  'not-its-turn': {
    meaning: 'The deployment of the application brings this version to other sites first.',
    hint: 'Nothing has to be done. "tallyman deployment NAME" shows what it waits for.',
    retry: 'never',
  },
  'not-placed': {
    meaning:
      'A site joined after a deployment was evaluated. What runs of its application there stays as it is, also if nothing does, until the deployment is evaluated anew.',
    hint: 'Run "tallyman redeploy NAME" to have the deployment decide about this site.',
    retry: 'never',
  },
  'deployment-refused': {
    meaning:
      'A deployment cannot be carried out on the sites that there are, so nothing of its application is touched.',
    hint: 'Correct its label expressions, or the labels of the sites in the configuration.',
    retry: 'never',
  },
  'label-unknown': {
    meaning:
      'A label expression of a deployment names a label that no site of the environment has, so no site meets that part of it. Or a variable takes its value from such a label, so it has its own value everywhere.',
    hint: 'Correct the label, or give it to a site in the configuration. Nothing to do if a site gets it later.',
    retry: 'never',
  },
  'deployment-done': {
    meaning: 'All sites of a deployment have its version, so that there is nothing to abort.',
    hint: 'Nothing is to be done. To hold back the next version, run "tallyman pause NAME"; to take this one back, commit another.',
    retry: 'never',
  },
  'deployment-stopped': {
    meaning:
      'The deployment of the application failed on one of its sites, or a person paused or aborted it, so this version reaches no further site.',
    hint: 'Correct the version with a commit, revert it, or run "tallyman resume NAME" to go on with it.',
    retry: 'never',
  },
  'version-unchanged': {
    meaning:
      'An application changes and its version does not, so the change goes to all sites of its deployment that have this version at once, without canaries and batches.',
    hint: 'To have it tried by the canaries first, give the application another "version" in the same commit. To hold it back, run "tallyman pause NAME".',
    retry: 'never',
  },
  'version-failed-before': {
    meaning:
      'A plan brings a version that failed on a site before, here or elsewhere, and that nobody has seen healthy there since.',
    hint: 'Find out why it failed before you approve it. To say no, run "tallyman discard ID".',
    retry: 'never',
  },
  'no-upgrade-path': {
    meaning: 'No entry of "upgrade-from" leads from the version that runs to the one that is wanted.',
    hint: 'Deploy a version between the two first, or add an entry whose version-regexp matches what runs.',
    retry: 'never',
  },
  'upgrade-deleted': {
    meaning:
      'Somebody deleted the upgrade from the queue of the site. What runs is kept as it is, and repaired.',
    hint: 'Nothing to do until a newer version comes. "tallyman force-upgrade" installs this one after all.',
    retry: 'never',
  },
  'window-closed': {
    meaning:
      'Another version is wanted, and the upgrade windows of the site allow none now. What runs is kept as it is, and repaired.',
    hint: 'Nothing to do; it goes on by itself when the window opens.',
    retry: 'never',
  },
  'window-never-opens': {
    meaning:
      'The upgrade windows of a site never open, because those of provider and owner have no time in common: every upgrade there waits for ever.',
    hint: 'Change the windows of one of the two so that both are open at the same time, or remove those of one.',
    retry: 'never',
  },
  'dependency-held': {
    meaning: 'An application that this one requires cannot be changed now.',
    hint: 'Read why the other application is held or blocked.',
    retry: 'never',
  },
  'claim-held': {
    meaning: 'A service needs a host port or a volume that another service has and does not give up now.',
    hint: 'Read why the other service is held. To exchange ports between services, use two commits: give one of them another port first.',
    retry: 'never',
  },
  'removal-first': {
    meaning:
      'A service takes over from another one that left the manifest. The other one has to be removed first.',
    hint: 'Confirm the removal as well.',
    retry: 'never',
  },
  'not-converging': {
    meaning:
      'A plan was applied, and the very same plan is needed again. Something else undoes the changes, or the engine does not keep them.',
    hint: 'Look for another tool that manages these containers; then run "tallyman retry".',
    retry: 'never',
  },
  interrupted: {
    meaning: 'The process was told to stop before this was done.',
    hint: 'Run it again; tallyman plans again what is left.',
    retry: 'backoff',
  },
  'engine-unreachable': {
    meaning: 'The Docker Engine does not answer.',
    hint: 'Check that dockerd runs and that the endpoint of the site is right.',
    retry: 'backoff',
  },
  'same-engine': {
    meaning:
      'Two sites are one engine, or two managers of one Swarm: that is one site, which names the others under "managers". The one that was served before stays so, or else the one that comes first in the configuration is served, and the other one is left alone.',
    hint: 'Keep one of the two sites, or give the other one the endpoint of another engine.',
    retry: 'never',
  },
  'engine-denied': {
    meaning: 'The Docker Engine denies access to tallyman.',
    hint: 'Check the permissions of its socket, or the certificates under "tls" of the site.',
    retry: 'backoff',
  },
  'engine-key-unusable': {
    meaning:
      'A site is reached over SSH, and its private key or its file of known hosts cannot be used in its present state.',
    hint: 'Make a key with "ssh-keygen -t ed25519 -N \'\' -f FILE", add FILE.pub to ~/.ssh/authorized_keys of the user on the host, and name FILE with "ssh: {keyFile: …}" of the site in the configuration.',
    retry: 'backoff',
  },
  'engine-host-unknown': {
    meaning: 'A site is reached over SSH, and its host key is not one of the trusted keys.',
    hint: 'Compare the fingerprint with the one that the host\'s operators publish; on the host, "ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub" prints it. If it is the same, add the line to the file that "knownHostsFile" names.',
    retry: 'backoff',
  },
  'engine-host-changed': {
    meaning:
      'A site is reached over SSH, and its host presents another key than the trusted one. Either the key was replaced, or somebody intercepts the connection.',
    hint: 'Ask the host\'s operators whether the key was replaced, and compare the fingerprint with the one that they publish. If it is the same, put the new line in place of the old ones of this host in the file that "knownHostsFile" names.',
    retry: 'backoff',
  },
  'engine-unsupported': {
    meaning:
      'The engine at the endpoint of a site is not a Docker Engine, or lacks an API call that tallyman needs.',
    hint: 'Give the site the endpoint of a Docker Engine, 20.10 or newer. Podman is not supported: it cannot ask a registry what a tag means.',
    retry: 'backoff',
  },
  'engine-refused': {
    meaning: 'The Docker Engine refuses a call.',
    hint: `Correct what the engine complains about in its own words, at the end of the message. ${again}`,
    alone:
      'Correct what the engine complains about in its own words, at the end of the message; then run "tallyman apply --retry".',
    retry: 'backoff',
  },
  'name-taken': {
    meaning:
      'A container, network, volume or service of a Swarm that is not of the environment has a name that the environment needs for its own. The message says whose it is.',
    hint: 'Rename or remove it; tallyman touches nothing that is not its own.',
    retry: 'backoff',
  },
  'network-in-use': {
    meaning: 'A network is to be removed, but containers are still attached to it.',
    hint: 'Detach the containers named in the message.',
    retry: 'backoff',
  },
  'routes-refused': {
    meaning: 'The ingress rejects the configuration made from the routes, and goes on with its previous one.',
    hint: 'Correct the route or the certificate named in the message, or the "image" of the ingress.',
    retry: 'backoff',
  },
  'ingress-unreachable': {
    meaning: 'No ingress runs on the site, or the one that runs does not answer.',
    hint: 'If the ingress is "external", run it with the label that the message names. Otherwise tallyman makes the ingress as soon as a service has a route; "tallyman status" shows its state.',
    alone:
      'If the ingress is "external", run it with the label that the message names. Otherwise tallyman makes the ingress as soon as a service has a route; "tallyman plan" shows its state.',
    retry: 'backoff',
  },
  'address-pool-empty': {
    meaning: 'The Docker Engine has no addresses left for another network.',
    hint: 'Remove unused networks, or give dockerd more addresses in "default-address-pools".',
    retry: 'backoff',
  },
  'address-pool-small': {
    meaning:
      'The plan needs more networks than the engine, or the address range of the ingress, usually has addresses for.',
    hint: 'Give dockerd more addresses in "default-address-pools", or the ingress a larger range in "subnets".',
    retry: 'never',
  },
  'port-taken': {
    meaning: 'A host port that a service publishes is already in use.',
    hint: `Free the port, or publish another one. ${again}`,
    alone: 'Free the port, or publish another one; then run "tallyman apply --retry".',
    retry: 'backoff',
  },
  'mount-refused': {
    meaning: 'The Docker Engine cannot mount what the specification says.',
    hint: `Create the path on the host, which tallyman never does for you, or correct it. ${again}`,
    alone:
      'Create the path on the host, which tallyman never does for you, or correct it; then run "tallyman apply --retry".',
    retry: 'backoff',
  },
  'driver-missing': {
    meaning: 'The Docker Engine has no such driver for volumes, or for logging.',
    hint: `Install the plugin that the message names on the host of the site ("docker plugin ls" shows what is there), or name another driver. ${again}`,
    alone:
      'Install the plugin that the message names on the host of the site ("docker plugin ls" shows what is there), or name another driver; then run "tallyman apply --retry".',
    retry: 'backoff',
  },
  'metadata-unusable': {
    meaning: 'The metadata service of pods cannot run: it has no key, or its port is taken.',
    hint: 'Tallyman starts it by itself, in a container whose volume has the key; see docs/pods.md.',
    retry: 'backoff',
  },
  'files-refused': {
    meaning: 'The Docker Engine refuses to write files into a container.',
    hint: 'With "read_only: true", mount the whole volume instead of single files; otherwise remove the file that stands where a directory is needed.',
    retry: 'never',
  },
  'image-lacking': {
    meaning:
      'The image of an app lacks what its pod manifest names: the user or the group, the path whose owner is meant, the working directory, or the program.',
    hint: 'Correct "user", "group", "workingDirectory" or "exec" of the app, or run it from an image that has them.',
    retry: 'never',
  },
  'start-refused': {
    meaning: 'The container cannot be started as it is specified.',
    hint: 'Correct its command, entrypoint, user, working directory or kernel parameters, or name an image that is built for this machine.',
    retry: 'never',
  },
  'container-missing': {
    meaning: 'A container of an instance disappeared while tallyman worked on it.',
    hint: 'Find out who else removes it; tallyman makes it again by itself.',
    retry: 'backoff',
  },
  'log-unreadable': {
    meaning: 'The engine keeps no output of a container that can be read.',
    hint: 'Look where the log driver of the container sends it, or remove "logging" from the container in its specification, so that the engine keeps the output.',
    retry: 'never',
  },
  'pull-failed': {
    meaning: 'An image cannot be pulled.',
    hint: `Try "docker pull" on the host or node, and look whether its disk is full. ${again}`,
    alone:
      'Try "docker pull" on the host or node, and look whether its disk is full; then run "tallyman apply --retry".',
    retry: 'backoff',
  },
  unhealthy: {
    meaning: "A container's health check fails.",
    hint: 'Read the output of the check, at the end of the message or in "tallyman show"; then commit a correction, or run "tallyman retry".',
    retry: 'never',
  },
  'job-failed': {
    meaning:
      'A hook, an init container or a phase such as deploy ended with an exit code other than 0, or its Swarm stopped it before its end, or somebody removed a hook or a phase.',
    hint: 'Read its output in "tallyman show"; on a host, its container is kept, too. Then commit a correction, or run "tallyman retry".',
    retry: 'never',
  },
  'job-timeout': {
    meaning: 'A hook or an init container did not succeed within its time limit.',
    hint: 'Find out what it waits for: its last output is in "tallyman show", and on a host, its container is kept. Then commit a correction or a higher timeoutSeconds for it, or run "tallyman retry".',
    retry: 'never',
  },
  'rollout-timeout': {
    meaning: 'A rollout took longer in total than its progressDeadlineSeconds.',
    hint: 'Find out what it waited for in "tallyman show"; then commit a correction or a higher progressDeadlineSeconds of its strategy, or run "tallyman retry".',
    retry: 'never',
  },
  'exited-early': {
    meaning: 'A container exited, or was restarted, before it passed its health gate.',
    hint: 'Read its last output, at the end of the message or in "tallyman show"; then commit a correction, or run "tallyman retry".',
    retry: 'never',
  },
  'health-timeout': {
    meaning: 'A container does not become healthy in time.',
    hint: 'Read its last output in "tallyman show"; then commit a correction or a higher "timeoutSeconds" of the strategy, or run "tallyman retry".',
    retry: 'never',
  },
  superseded: {
    meaning:
      'Another pass goes first while a rollout waits: a newer commit arrived, somebody holds the application at another version, or something else may begin. It goes on with whatever of the rollout is still wanted.',
    hint: 'Nothing to do.',
    retry: 'never',
  },
  'state-dir-unusable': {
    meaning:
      'The state directory cannot be created or written to, or its path is too long for the control socket in it.',
    hint: 'Name a writable directory with --state-dir, TALLYMAN_STATE_DIR or "stateDir".',
    retry: 'never',
  },
  'tag-moved': {
    meaning:
      'A tag now points to another image than when the commit was resolved. What runs is left as it is.',
    hint: 'Commit the digest or a new tag to follow it.',
    retry: 'never',
  },
  'plan-changed': {
    meaning:
      'The plan is no longer the one that was named, because the desired or the live state has changed since.',
    hint: 'Look at the plan again, and use its new id.',
    retry: 'never',
  },
  'plan-answered': {
    meaning: 'Somebody has already approved or discarded this plan. A plan is answered only once.',
    hint: 'Nothing to do, if you agree with that answer. Another commit asks again, and so does a retry of its application.',
    retry: 'never',
  },
  'already-suspended': {
    meaning: 'Somebody has suspended this already, with a reason of their own.',
    hint: 'Keep that suspension, or use --replace to put your reason and time in its place.',
    retry: 'never',
  },
  'deployment-not-begun': {
    meaning:
      'A deployment has brought no version to its sites yet, so there is nothing that could be stopped.',
    hint: 'Suspend the application instead.',
    retry: 'never',
  },
  'already-stopped': {
    meaning: 'A deployment is paused already, or has ended: it failed, or a person aborted it.',
    hint: 'Run "tallyman resume NAME" if it is to go on.',
    retry: 'never',
  },
  'environment-unread': {
    meaning: 'No environment could be read yet, so its name is not known.',
    hint: 'Correct the error in the message, or name the environment in the configuration.',
    retry: 'backoff',
  },
  'digest-unknown': {
    meaning: 'No registry gave the digest of an image, and no running container shows it either.',
    hint: 'Check the registry; nothing of this application is touched until it answers. An image of a specification without a registry in its name is one of Docker Hub.',
    retry: 'backoff',
  },
  'another-writer': {
    meaning:
      'Another tallyman, on this machine or on another one, already runs this environment on this engine, or wrote there after this one had planned.',
    hint: 'Use "tallyman status", "tallyman approve" and every other command with the one that runs, or stop it.',
    retry: 'backoff',
  },
  'claim-refused': {
    meaning:
      'The engine, or a proxy in front of it, refuses volumes. A tallyman says with a volume that it is the one that writes there, so this one only observes.',
    hint: 'Let the proxy pass GET, POST and DELETE of /volumes.',
    retry: 'backoff',
  },
  'control-forbidden': {
    meaning:
      'This user may not connect to the daemon, or may not read its state directory, or may not give that answer.',
    hint: 'Run the command as the user that the daemon runs as, with sudo -u for instance.',
    retry: 'never',
  },
  'environment-name-taken': {
    meaning:
      'On an engine, another environment of this or another repository already has the name of the environment. There the environment is called by its name and a suffix.',
    hint: 'Nothing to do, if these are two different environments. If the repository has moved, give it its former name, which is in the message: "repository: {name: …}" in the configuration.',
    retry: 'never',
  },
  'daemon-unreachable': {
    meaning: 'No daemon answers on the control socket.',
    hint: 'Start "tallyman daemon", or name its state directory with --state-dir.',
    retry: 'never',
  },
  // the journal
  'journal-corrupt': {
    meaning: 'The file that holds history and decisions is damaged.',
    hint: 'Stop tallyman, move tallyman.sqlite and the files named after it out of the state directory, and start again: history and approvals are lost, but nothing that runs is touched.',
    retry: 'never',
  },
  'secret-key-damaged': {
    meaning:
      'The file in the state directory that holds the key of the hashes of secrets holds something else. Nothing is touched, because with another key every secret would look changed.',
    hint: 'Put back secret.key from a backup. If there is none, remove it: then every secret looks changed once.',
    retry: 'never',
  },
  'journal-newer': {
    meaning: 'The journal was written by a later version of tallyman.',
    hint: 'Run that version again, or move tallyman.sqlite out of the state directory to start without history.',
    retry: 'never',
  },
  'journal-unusable': {
    meaning: 'The journal cannot be opened, read or written.',
    hint: 'Make sure that the state directory is a directory, and that its files belong to the user that tallyman runs as.',
    retry: 'backoff',
  },
  'state-dir-gone': {
    meaning:
      'The state directory of a running tallyman, or its journal or control socket, was removed, replaced or moved away. It begins nothing more: nobody would find what it writes down. A daemon ends.',
    hint: 'Start tallyman again, unless its supervisor does. If you can, put the state directory back before: without it, history and approvals are lost, and every secret looks changed once, unless you put back its secret.key. Nothing else that runs is touched.',
    retry: 'backoff',
  },
  'journal-busy': {
    meaning: 'Another process has held the journal for too long.',
    hint: 'Stop the process that holds the file, such as a second tallyman on the same state directory; tallyman tries again by itself.',
    retry: 'backoff',
  },
  'disk-full': {
    meaning: 'There is no space left on the disk.',
    hint: 'Free disk space. Until then tallyman begins nothing new; a change that had begun is brought to its end.',
    retry: 'backoff',
  },
} as const satisfies Record<string, Entry>

export type ErrorCode = keyof typeof catalogue

/** Returns the hint of the catalogue for a user with or without a daemon. */
export function hintOf(code: ErrorCode, hasDaemon: boolean): string {
  const { hint, alone = hint.replaceAll('"tallyman retry"', '"tallyman apply --retry"') }: Entry =
    catalogue[code]
  return hasDaemon ? hint : alone
}

/**
 * Returns a hint for a release that ended a deployment: where the hint says `retry`, only `resume` helps, because the
 * deployment goes on nowhere by itself (A33).
 */
export function hintToResume(hint: string, deployment: string): string {
  return hint.replaceAll(
    /"tallyman (resume NAME"|retry"(, or "tallyman apply --retry" where no daemon runs)?)/g,
    `"tallyman resume ${deployment}"`,
  )
}

/** Returns the hint of the catalogue where the deployment is known that the reader has to name. */
export function hintNaming(code: ErrorCode, deployment: string): string {
  return catalogue[code].hint.replaceAll('NAME', deployment)
}

/** Whether a text is a code of the catalogue. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(catalogue, code)
}
