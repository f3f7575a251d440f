import { hintOf } from '../../lib/errors/catalogue.ts'
import { heldElsewhere } from './followed.ts'

/** Hints that tests of another room follow, as the way there needs an engine, a full disk or another user. */
export const elsewhere = heldElsewhere([
  {
    code: 'config-invalid',
    hint: 'A daemon that runs goes on with what was right before: to ask it meanwhile, add "--server" with the control.sock of its state directory.',
    held: {
      'to ask it meanwhile, add "--server" with the control.sock of its state directory': [
        'test/component/cli/options/state-dir.test.ts',
        'G13 G17 is asked for by name while the configuration is wrong, because the daemon goes on',
      ],
    },
    says: ['A daemon that runs goes on with what was right before'],
  },
  {
    code: 'wrong-usage',
    hint: 'To give up a rollout of it that is under way, commit a revert, or run "tallyman rollback web --now"; to hold back the next change, run "tallyman suspend --reason TEXT --application web".',
    held: {
      'To give up a rollout of it that is under way, commit a revert': [
        'test/component/reconcile/loop/site/meanwhile/take-over.test.ts',
        'G12 D18 ends the wait where what that commit wants may begin',
      ],
      'run "tallyman rollback web --now"': [
        'test/component/reconcile/loop/site/meanwhile/take-over.test.ts',
        'A12 G12 ends the wait when somebody holds its application at another version, also of the same commit',
      ],
      'to hold back the next change, run "tallyman suspend --reason TEXT --application web"': [
        'test/integration/reconcile/said/daemon.test.ts',
        'G14 suspend holds changes and shows why; resume lets them go on',
      ],
    },
  },
  {
    code: 'wrong-usage',
    hint: 'To go back all the same, commit a revert, or run "tallyman rollback web --now".',
    held: {
      'To go back all the same, commit a revert': [
        'test/component/reconcile/loop/site/meanwhile/take-over.test.ts',
        'G12 D18 ends the wait where what that commit wants may begin',
      ],
      'run "tallyman rollback web --now"': [
        'test/component/reconcile/loop/site/meanwhile/take-over.test.ts',
        'A12 G12 ends the wait when somebody holds its application at another version, also of the same commit',
      ],
    },
  },
  {
    code: 'swarm-unavailable',
    held: {
      'Unlock it': [
        'test/swarm/of-one/begun.test.ts',
        'G13 G4 that is no manager, or is locked, is a clear state, in which nothing counts as gone, and goes on once it is one',
      ],
      'name a manager of the Swarm as the endpoint of the site, or bring the Swarm back': [
        'test/swarm/of-one/begun.test.ts',
        'G13 G4 that is no manager, or is locked, is a clear state, in which nothing counts as gone, and goes on once it is one',
      ],
    },
    says: ['tallyman tries again by itself'],
  },
  {
    code: 'policy-violation',
    hint: 'Mount the path that the symlink leads to, if the operator allows it under "policy" in tallyman.yaml, or replace the symlink with a directory and run "tallyman retry".',
    held: {
      'Mount the path that the symlink leads to, if the operator allows it under "policy" in tallyman.yaml, or replace the symlink with a directory and run "tallyman retry"':
        [
          'test/e2e/repository/hostile.test.ts',
          'G23 C20 a symlink of the host that leads out of an allowed directory is refused before anything is touched',
        ],
    },
  },
  {
    code: 'policy-violation',
    hint: 'Remove the volume, if nothing in it is needed, or write the "driver_opts" with which it was made. Then run "tallyman retry".',
    held: {
      'Remove the volume, if nothing in it is needed, or write the "driver_opts" with which it was made. Then run "tallyman retry"':
        [
          'test/unit/docker/steps/volume/check-host-path.test.ts',
          'G23 refuses an existing volume that binds a path outside of the allowed directory',
        ],
    },
  },
  {
    code: 'swarm-unavailable',
    hint: 'Correct "endpoint" and "managers" of the site: all of them are managers of one Swarm.',
    held: {
      'Correct "endpoint" and "managers" of the site': [
        'test/unit/swarm/api/managers.test.ts',
        'G4 are those of one Swarm: one of another is never asked, for there nothing of ours would be there',
      ],
    },
    says: ['all of them are managers of one Swarm'],
  },
  {
    code: 'port-taken',
    hint: "Publish another port on one of them, or give an application a deployment that means only one. Otherwise the Swarm's is held for as long as the host has the port.",
    held: {
      'Publish another port on one of them, or give an application a deployment that means only one': [
        'test/integration/cli/validate-shared-engine.test.ts',
        'G1 says nothing of a port that only one of them has, or that is on other nodes or engines',
      ],
    },
    says: ["Otherwise the Swarm's is held for as long as the host has the port"],
  },
  {
    code: 'config-invalid',
    hint: 'Write them again. If the engine of this machine is meant, name it: "sites: [{name: local}]".',
    held: {
      'Write them again': [
        'test/component/daemon/reread.test.ts',
        'G4 keeps its sites if it names none any more, and takes what it names again',
      ],
      'If the engine of this machine is meant, name it: "sites: [{name: local}]"': [
        'test/component/daemon/reread.test.ts',
        'G17 has the engine of this machine where it is named, or was the only one before',
      ],
    },
  },
  {
    code: 'requires-elsewhere',
    held: {
      'Have the deployments of both mean the same sites': [
        'test/unit/plan/warning/requires-elsewhere.test.ts',
        'G11 says nothing where nothing changes, or where both are',
      ],
    },
    says: ['unless the other one serves from elsewhere on purpose'],
  },
  {
    code: 'volume-differs',
    held: {
      'To keep it, write the "driver" and the "driver_opts" that it has': [
        'test/integration/reconcile/pods/volume-differs.test.ts',
        'D3 G7 is told in the plan until it is wanted as it was made or under another name',
      ],
      'To have another one, give the volume another name': [
        'test/integration/reconcile/pods/volume-differs.test.ts',
        'D3 G7 is told in the plan until it is wanted as it was made or under another name',
      ],
    },
    says: ['the files stay in the one that is there'],
  },
  {
    code: 'volume-gone',
    held: {
      'Bring the files back from a backup, if they are needed': [
        'test/integration/reconcile/pods/volume-differs.test.ts',
        'D3 D9 G7 is told in the plan that makes it anew, and no longer once it is there',
      ],
    },
    says: ['What starts now finds the volume empty, and so do the hooks of a plan that waits'],
  },
  {
    code: 'site-kind-changed',
    held: {
      'Say "kind" as it was before': [
        'test/integration/reconcile/swarm/kind-of-site.test.ts',
        'G4 G13 is left alone where a Swarm is to be a host, until that is as before',
      ],
      'For the other kind, add a site of another name with the same endpoint, and move applications there with their deployments':
        [
          'test/swarm/of-one/grown.test.ts',
          'G8 G10 G17 serves there, after a plan of its own, before the host lets go, which asks',
        ],
    },
  },
  {
    code: 'swarm-unused',
    held: {
      'Say "kind: swarm" at the site': [
        'test/integration/reconcile/swarm/beside-host.test.ts',
        'G10 G17 each keep to their own, also where nobody says that the host is one',
      ],
      'Or say "kind: host"': [
        'test/integration/reconcile/swarm/unused.test.ts',
        'G13 is answered by "kind: host", and not asked about itself any more',
      ],
    },
    says: ['and applications run on the Swarm', 'and it stays one host without this warning'],
  },
  {
    code: 'swarm-made-anew',
    held: {
      'answer the plan, if it waits for that': [
        'test/integration/reconcile/swarm/made-anew.test.ts',
        'D4 G13 gets nothing without the word of somebody where the repository asks for one, and the status says why',
      ],
      'Otherwise correct "endpoint" and "managers" of the site': [
        'test/unit/swarm/api/managers.test.ts',
        'G4 are those of one Swarm: one of another is never asked, for there nothing of ours would be there',
      ],
    },
    says: ['If that was meant, nothing is to be done but to', 'everything is made as on an empty site'],
  },
  {
    code: 'swarm-unsupported',
    held: {
      'Run the application on a host, or leave out what the message names': [
        'test/scenes/swarm-services.ts',
        'D15 G10 refuses what it cannot do before anything is touched, and leaves services of others alone',
      ],
    },
    says: ['docs/swarm.md lists what a Swarm cannot do'],
  },
  {
    code: 'nodes-lacking',
    held: {
      'Correct what the message names': [
        'test/integration/reconcile/swarm/nodes.test.ts',
        'G13 is no matter where a node has it, and where nobody may see the nodes',
      ],
      'Or give a node the label with "docker node update --label-add LABEL=VALUE NODE", or the driver with "docker plugin install" on it':
        [
          'test/integration/reconcile/swarm/nodes.test.ts',
          'G13 is what the hint asks for: once a node has it, nothing is warned of',
        ],
    },
  },
  {
    code: 'volume-per-node',
    held: {
      'Choose one node with "placement: {match-host-labels: …}" at the service, by a label that only this node has':
        [
          'test/integration/reconcile/swarm/nodes.test.ts',
          'G13 A48 is not where one node is chosen, where all nodes share it, in memory, and with one task on each node',
        ],
      'Or give the volume a driver, or the driver_opts of a share, with which all nodes have the same one': [
        'test/integration/reconcile/swarm/nodes.test.ts',
        'G13 A48 is not where one node is chosen, where all nodes share it, in memory, and with one task on each node',
      ],
    },
    says: ['Nothing to do if the data may be lost, as those of a cache'],
  },
  {
    code: 'update-stopped',
    held: {
      'Correct the application in a commit': [
        'test/scenes/applications/same-application.ts',
        'D2 D18 G5 is repaired, serves on through a release that crashes, and gets that one only once corrected',
      ],
    },
    says: ['the message ends with what its tasks failed with'],
  },
  {
    code: 'task-unplaced',
    held: {
      'Commit what asks for less memory or fewer ports': [
        'test/swarm/of-one/swarm.test.ts',
        'G5 G13 tells why there is no node for a task, scales back or puts back what ran, and makes a service anew for one on each node',
      ],
      'add nodes, or the labels that it asks of them, and run "tallyman retry"': [
        'test/integration/reconcile/swarm/services.test.ts',
        'G13 say what they ask of nodes that no node has, and are made once one has it and somebody says retry',
      ],
    },
    says: ['The message ends with the words of the Swarm'],
  },
  {
    code: 'task-unplaced',
    hint: hintOf('task-unplaced', false),
    held: {
      'Commit what asks for less memory or fewer ports': [
        'test/swarm/of-one/swarm.test.ts',
        'G5 G13 tells why there is no node for a task, scales back or puts back what ran, and makes a service anew for one on each node',
      ],
      'add nodes, or the labels that it asks of them, and run "tallyman apply --retry"': [
        'test/integration/reconcile/swarm/services.test.ts',
        'G13 say what they ask of nodes that no node has, and are made once one has it and somebody says retry',
      ],
    },
    says: ['The message ends with the words of the Swarm'],
  },
  {
    code: 'job-failed',
    hint: 'The release did not fail by itself. Find out who removed it and how far it came, and run "tallyman retry" if it may run again, or "tallyman apply --retry" where no daemon runs.',
    held: {
      'Find out who removed it and how far it came': [
        'test/integration/reconcile/release/removed-jobs.test.ts',
        'H4 P6 G5 have failed as their strategy, stage and policy say, and do not run again by themselves',
      ],
      'run "tallyman retry" if it may run again, or "tallyman apply --retry" where no daemon runs': [
        'test/integration/reconcile/release/removed-jobs.test.ts',
        'H4 H22 has ended when the rollout is over, and so before somebody has it run again',
      ],
    },
    says: ['The release did not fail by itself'],
  },
  {
    code: 'job-failed',
    hint: 'The release did not fail by itself. See in "tallyman show" how far it came, and run "tallyman retry" if it may run again, or "tallyman apply --retry" where no daemon runs.',
    held: {
      'See in "tallyman show" how far it came': [
        'test/unit/swarm/steps/job-ended-by-swarm.test.ts',
        'H7 P7 is said to be stopped by it, with no exit code, and is no success either',
      ],
      'run "tallyman retry" if it may run again, or "tallyman apply --retry" where no daemon runs': [
        'test/unit/swarm/steps/job-ended-by-swarm.test.ts',
        'H22 runs once more where somebody says retry',
      ],
    },
    says: ['The release did not fail by itself'],
  },
  {
    code: 'start-refused',
    hint: 'Set "metadata: {image: …}" in tallyman.yaml to the image of tallyman, of the same version; see docs/pods.md.',
    held: {
      'Set "metadata: {image: …}" in tallyman.yaml to the image of tallyman, of the same version': [
        'test/integration/reconcile/pods/metadata.test.ts',
        'C53 says which key of tallyman.yaml names an image that is not its own, and runs once that names another',
      ],
    },
    says: ['see docs/pods.md'],
  },
  {
    code: 'files-refused',
    hint: 'Set "sandbox: {image: busybox:stable}" in tallyman.yaml, or an image like it.',
    held: {
      'Set "sandbox: {image: busybox:stable}" in tallyman.yaml, or an image like it': [
        'test/e2e/release/pod.test.ts',
        'C13 runs its event handlers around the main program',
      ],
    },
  },
  {
    code: 'engine-unreachable',
    hint: 'Check the network, and the SSH server on 127.0.0.1; tallyman tries again by itself.',
    held: {
      'Check the network, and the SSH server on 127.0.0.1': [
        'test/integration/docker/edge/ssh.test.ts',
        'G12 G13 is given up before it greets',
      ],
    },
    says: ['tallyman tries again by itself'],
  },
  {
    code: 'engine-unreachable',
    hint: 'Let root open sessions on 127.0.0.1: set MaxSessions in sshd_config to the default of 10. Or let the SSH server forward to sockets: AllowStreamLocalForwarding yes.',
    held: {
      'set MaxSessions in sshd_config to the default of 10': [
        'test/integration/docker/edge/ssh.test.ts',
        'is reached by "docker system dial-stdio" on a host that forwards to no socket',
      ],
      'Or let the SSH server forward to sockets: AllowStreamLocalForwarding yes': [
        'test/integration/docker/edge/ssh.test.ts',
        'answers many calls and streams at a time on one connection, which ends when it is closed',
      ],
    },
    says: ['Let root open sessions on 127.0.0.1'],
  },
  {
    code: 'engine-unreachable',
    hint: 'Look at the load of 127.0.0.1 and the log of its SSH server; tallyman tries again by itself.',
    held: {
      'Look at the load of 127.0.0.1 and the log of its SSH server': [
        'test/integration/docker/edge/ssh.test.ts',
        'G12 G13 is given up after it has let us in, and reached once it does something again',
      ],
    },
    says: ['tallyman tries again by itself'],
  },
  {
    code: 'version-missing',
    hint: 'Name the version that is meant: --to 3 or --to 2. What somebody went back from, and what failed or was aborted, does not count as the version before.',
    held: {
      'Name the version that is meant: --to 3 or --to 2': [
        'test/unit/answers/rollback.test.ts',
        'A6 A12 is one further back if it is said again, and takes the place of what was held',
      ],
    },
    says: [
      'What somebody went back from, and what failed or was aborted, does not count as the version before',
    ],
  },
  {
    code: 'daemon-unreachable',
    hint: 'Look at its log. If that lasts, end it and start it again.',
    held: {
      'Look at its log. If that lasts, end it and start it again': [
        'test/component/cli/client/client.test.ts',
        'G12 G13 tells a daemon that does not answer from none',
      ],
    },
  },
  {
    code: 'plan-answered',
    hint: 'To be asked again, run "tallyman resume shop-everywhere".',
    held: {
      'To be asked again, run "tallyman resume shop-everywhere"': [
        'test/component/reconcile/fleet/failed/corrected.test.ts',
        'A31 is aborted by discarding the stage that follows the canaries',
      ],
    },
  },
  {
    code: 'plan-answered',
    hint: 'To see what it waits for, run "tallyman deployment shop-everywhere".',
    held: {
      'To see what it waits for, run "tallyman deployment shop-everywhere"': [
        'test/component/reconcile/fleet/said/approved-stages.test.ts',
        'A31 A34 X20 are not let follow a canary that answers again, and proves the version anew: nobody is asked then',
      ],
    },
  },
  {
    code: 'plan-answered',
    hint: 'Look at "tallyman deployment shop" again, and use the id that it shows.',
    held: {
      'Look at "tallyman deployment shop" again': [
        'test/component/reconcile/fleet/failed/corrected.test.ts',
        'A31 X20 A25 asks under another id once another site is the canary, which is drawn before',
      ],
      'use the id that it shows': [
        'test/component/reconcile/fleet/failed/corrected.test.ts',
        'A31 X20 A25 asks under another id once another site is the canary, which is drawn before',
      ],
    },
  },
  {
    code: 'version-unclear',
    hint: 'Name the version that is meant: --to 4 or --to 2.',
    held: {
      'Name the version that is meant: --to 4 or --to 2': [
        'test/unit/answers/rollback.test.ts',
        'A6 A12 has to be named if a site never got as far',
      ],
    },
  },
  {
    code: 'version-unclear',
    held: {
      'Name the version that is meant with --to': [
        'test/unit/answers/rollback.test.ts',
        'A6 A12 A33 is offered last if its deployment failed, or if somebody went back from it',
      ],
    },
  },
  {
    code: 'version-missing',
    hint: 'If you mean the pass of that number in "tallyman log", write --to pass:1.',
    held: {
      'If you mean the pass of that number in "tallyman log", write --to pass:1': [
        'test/unit/answers/rollback.test.ts',
        'A12 G13 is no pass if it is a plain number, of which no version is kept any more',
      ],
    },
  },
  {
    code: 'version-unreadable',
    hint: 'Name another kept version with --to, or try again once the repository is there.',
    held: {
      'Name another kept version with --to': [
        'test/unit/answers/rollback.test.ts',
        'A6 G13 is refused while its commit cannot be read, and nothing is held: the hint says what helps',
      ],
      'try again once the repository is there': [
        'test/integration/reconcile/outages/repository-away.test.ts',
        'A6 G13 refuses to go back to what was never copied, and holds nothing until the repository is there',
      ],
    },
  },
  {
    code: 'no-upgrade-path',
    hint: 'Name another kept version with --to.',
    held: {
      'Name another kept version with --to': [
        'test/unit/answers/rollback.test.ts',
        'A12 A42 names the sites from which no upgrade path leads to it, and is refused if that is so on all',
      ],
    },
  },
  {
    code: 'no-upgrade-path',
    hint: 'Name another version with --to, or add an entry to "upgrade-from" of that version by hand. To get the commit all the same, use --patch.',
    held: {
      'Name another version with --to': [
        'test/unit/answers/rollback.test.ts',
        'A12 A42 names the sites from which no upgrade path leads to it, and is refused if that is so on all',
      ],
      'add an entry to "upgrade-from" of that version by hand': [
        'test/unit/answers/rollback.test.ts',
        'A12 A42 names the sites from which no upgrade path leads to it, and is refused if that is so on all',
      ],
      'To get the commit all the same, use --patch': [
        'test/integration/cli/rollback.test.ts',
        'A12 A42 says before it pushes where nothing would come of it, and refuses if that is so everywhere',
      ],
    },
  },
  {
    code: 'log-unreadable',
    held: {
      'remove "logging" from the container in its specification, so that the engine keeps the output': [
        'test/integration/docker/container/logs.test.ts',
        'C52 says of a container whose log driver keeps nothing that it cannot be read, and why',
      ],
    },
    says: ['Look where the log driver of the container sends it'],
  },
  {
    code: 'another-writer',
    hint: 'If these are two repositories, give one of them a name of its own: "repository: {name: …}" in its configuration.',
    held: {
      'If these are two repositories, give one of them a name of its own: "repository: {name: …}" in its configuration':
        [
          'test/e2e/sites/identity.test.ts',
          'D17 lets two repositories write to environments of one name, side by side',
        ],
    },
  },
  {
    code: 'another-writer',
    hint: 'Say it to the one that runs. If that one is gone for good, run "tallyman apply" or "tallyman daemon" here first: after a minute without an answer, it takes over.',
    held: {
      'Say it to the one that runs': [
        'test/integration/reconcile/said/words-elsewhere.test.ts',
        'D17 is refused on another machine, with where that one runs, and is recorded once it has ended',
      ],
      'run "tallyman apply" or "tallyman daemon" here first: after a minute without an answer, it takes over':
        [
          'test/unit/writer/on-engine/keeper.test.ts',
          'D17 takes it from a holder that leaves a question unanswered for a minute',
        ],
    },
    says: ['If that one is gone for good'],
  },
  {
    code: 'another-writer',
    hint: 'Run the command again: it plans anew, by what is there now. A daemon does so by itself.',
    held: {
      'Run the command again: it plans anew, by what is there now': [
        'test/component/reconcile/site/writer/late-claim.test.ts',
        'D17 plans anew by what another one brought about after it was planned when it is run again, and asks',
      ],
    },
    says: ['A daemon does so by itself'],
  },
  {
    code: 'registry-denied',
    hint: 'If you trust tokens.example.com with the login, add "tokenHost: tokens.example.com" to registry.example.com under "registries" in the configuration.',
    held: {
      'add "tokenHost: tokens.example.com" to registry.example.com under "registries" in the configuration': [
        'test/integration/registry/manifests.test.ts',
        'E24 G16 takes no password to a host that only the registry names, and says how to allow it',
      ],
    },
    says: ['If you trust tokens.example.com with the login'],
  },
  {
    code: 'git-redirected',
    hint: 'If you trust that host, set "apiUrl" of the GitHub App in the configuration to the address that the server redirects to.',
    held: {
      'set "apiUrl" of the GitHub App in the configuration to the address that the server redirects to': [
        'test/integration/git/github-app.test.ts',
        'follows no redirect to another host, and reads once the address of that host is named',
      ],
    },
    says: ['If you trust that host'],
  },
  {
    code: 'git-credentials-unreadable',
    hint: 'Generate a private key in the settings of the app on GitHub, and name the file that is downloaded as "privateKeyFile".',
    held: {
      'name the file that is downloaded as "privateKeyFile"': [
        'test/integration/git/github-app.test.ts',
        'reads once the private key of the app is in place',
      ],
    },
    says: ['Generate a private key in the settings of the app on GitHub'],
  },
  {
    code: 'git-unreachable',
    hint: 'GitHub was asked too often; tallyman tries again by itself.',
    held: {},
    says: ['GitHub was asked too often', 'tallyman tries again by itself'],
  },
  {
    code: 'suspended',
    held: {
      'Run "tallyman resume"': [
        'test/integration/reconcile/said/daemon.test.ts',
        'G14 suspend holds changes and shows why; resume lets them go on',
      ],
    },
    says: ['when it may go on'],
  },
  {
    code: 'program-missing',
    held: {
      "Install it where tallyman runs: OpenSSH's client for repositories over SSH and for SSH signatures, GnuPG for OpenPGP signatures":
        ['test/hints/ssh.ts', "Install OpenSSH's client or GnuPG for the user that runs tallyman"],
    },
  },
  {
    code: 'disk-full',
    held: {
      'Free disk space': [
        'test/e2e/daemon/full-disk.test.ts',
        'G25 a daemon that is started on it waits, says why, and goes on once there is room',
      ],
      'a change that had begun is brought to its end': [
        'test/e2e/daemon/full-disk.test.ts',
        'G25 a Recreate rollout that had begun is brought to its end, and is on record once there is room',
      ],
    },
    says: ['Until then tallyman begins nothing new'],
  },
  {
    code: 'control-forbidden',
    held: {
      'Run the command as the user that the daemon runs as, with sudo -u for instance': [
        'test/e2e/said/words.test.ts',
        'G13 status without a daemon tells what was last seen and ends with 1; a mistyped name is refused with the nearest',
      ],
    },
  },
  {
    code: 'not-placed',
    held: {
      'Run "tallyman redeploy NAME" to have the deployment decide about this site': [
        'test/component/reconcile/fleet/sites/joined-sites.test.ts',
        'A25 is stripped of nothing: its application stays, and the plan says that a redeploy decides',
      ],
    },
  },
  {
    code: 'deployment-refused',
    held: {
      'Correct its label expressions, or the labels of the sites in the configuration': [
        'test/component/reconcile/fleet/failed/corrected.test.ts',
        'G4 touches nothing while it means no site by mistake, until its expression is corrected',
      ],
    },
  },
  {
    code: 'deployment-refused',
    hint: 'Correct its label expression, or the labels of the sites in the configuration. To take the application away from all sites, write "match-site-labels: not system/name", which no site can meet.',
    held: {
      'Correct its label expression, or the labels of the sites in the configuration': [
        'test/component/reconcile/fleet/failed/corrected.test.ts',
        'G4 touches nothing while it means no site by mistake, until its expression is corrected',
      ],
      'write "match-site-labels: not system/name"': [
        'test/component/reconcile/fleet/failed/corrected.test.ts',
        'G4 D3 takes the application away from all sites, once that is confirmed',
      ],
    },
    says: ['To take the application away from all sites', 'which no site can meet'],
  },
  {
    code: 'deployment-done',
    held: {
      'To hold back the next version, run "tallyman pause NAME"': [
        'test/component/reconcile/fleet/failed/corrected.test.ts',
        'is paused after it is done, too: then the next version waits',
      ],
      'to take this one back, commit another': [
        'test/component/reconcile/fleet/rolling.test.ts',
        'A12 a revert in the middle brings back the sites that had gone on, and touches no other',
      ],
    },
    says: ['Nothing is to be done'],
  },
  {
    code: 'deployment-stopped',
    held: {
      'Correct the version with a commit': [
        'test/component/reconcile/fleet/failed/corrected.test.ts',
        'A33 goes on with a new version, by the same strategy',
      ],
      'revert it': [
        'test/component/reconcile/fleet/failed/corrected.test.ts',
        'A12 A33 is over with a revert: nothing else moves',
      ],
      'run "tallyman resume NAME"': [
        'test/component/reconcile/fleet/failed/corrected.test.ts',
        'A33 goes on with the same version once a person resumes it',
      ],
    },
    says: ['to go on with it'],
  },
  {
    code: 'deployment-not-begun',
    held: {
      'Suspend the application instead': [
        'test/component/reconcile/fleet/failed/corrected.test.ts',
        'cannot be stopped before it has begun; its application can be suspended',
      ],
    },
  },
  {
    code: 'already-stopped',
    held: {
      'Run "tallyman resume NAME"': [
        'test/component/reconcile/fleet/failed/corrected.test.ts',
        'is paused before the next batch, and goes on when it is resumed',
      ],
    },
    says: ['if it is to go on'],
  },
  {
    code: 'version-twice',
    held: {
      'Give what has other images a version of its own': [
        'test/component/reconcile/repository/version/releases.test.ts',
        'A6 are both kept once what has other images has a version of its own',
      ],
    },
  },
  {
    code: 'version-unchanged',
    held: {
      'give the application another "version" in the same commit': [
        'test/component/reconcile/fleet/versions/one-version-twice.test.ts',
        'A11 A31 goes to the canary first if the application gets another version in the same commit',
      ],
      'To hold it back, run "tallyman pause NAME"': [
        'test/component/reconcile/fleet/versions/one-version-twice.test.ts',
        'A11 A33 G13 waits on all sites, which the deployment says, and goes to all of them with the word that goes on',
      ],
    },
    says: ['To have it tried by the canaries first'],
  },
  {
    code: 'version-failed-before',
    held: {
      'To say no, run "tallyman discard ID"': [
        'test/component/reconcile/fleet/failed/failed-before.test.ts',
        'A33 D4 is discarded with its id, and goes nowhere then',
      ],
    },
    says: ['Find out why it failed before you approve it'],
  },
  {
    code: 'version-held',
    held: {
      'Resume the application to follow the commits again': [
        'test/integration/reconcile/release/rollback.test.ts',
        'A12 D2 is planned, waits for an approval, and stays when commits come, without a daemon as with one',
      ],
    },
  },
  {
    code: 'version-missing',
    held: {
      'Commit that version': [
        'test/component/reconcile/repository/version/releases.test.ts',
        'A10 is to be had as soon as a commit brings that version',
      ],
      'name one that is kept': [
        'test/component/reconcile/repository/version/releases.test.ts',
        'A6 A12 X8 is what its commit says, with the digests of that time, while no registry answers',
      ],
    },
  },
  {
    code: 'version-unreadable',
    held: {
      'Make sure that the git server still has the commit': [
        'test/component/reconcile/repository/version/releases.test.ts',
        'G19 says why it is not to be had where its commit cannot be read, until it can be',
      ],
    },
    says: ['tallyman tries again by itself'],
  },
  {
    code: 'address-pool-empty',
    hint: 'Remove unused networks, or give "ingress" other "subnets" in the configuration.',
    held: {
      'Remove unused networks': [
        'test/integration/reconcile/ingress/addresses.test.ts',
        'D15 leaves out only the application that gets none, and joins it once there is room',
      ],
      'give "ingress" other "subnets" in the configuration': [
        'test/integration/docker/network/gate.test.ts',
        'P12 says when the pool is used up, and what to do',
      ],
    },
  },
  {
    code: 'ingress-unreachable',
    hint: '"ingress" is "off" in the configuration: tell your load balancers themselves, or configure an "ingress".',
    held: {
      'configure an "ingress"': [
        'test/e2e/ingress/routes.test.ts',
        'P12 P33 costs the others nothing, restarts nothing, and leaves nothing behind',
      ],
    },
    says: ['"ingress" is "off" in the configuration', 'tell your load balancers themselves'],
  },
  {
    code: 'ingress-unreachable',
    hint: 'Tell your load balancers themselves.',
    held: {},
    says: ['Tell your load balancers themselves'],
  },
  ...[true, false].map(hasDaemon => ({
    code: 'ingress-unreachable' as const,
    hint: hintOf('ingress-unreachable', hasDaemon),
    held: {
      'If the ingress is "external", run it with the label that the message names': [
        'test/e2e/ingress/external.test.ts',
        'P12 P33 is waited for, given routes, loses no request of an update, and has its routes again',
      ],
      'Otherwise tallyman makes the ingress as soon as a service has a route': [
        'test/e2e/ingress/routes.test.ts',
        'P12 P33 costs the others nothing, restarts nothing, and leaves nothing behind',
      ],
    } as const,
    says: [`"tallyman ${hasDaemon ? 'status' : 'plan'}" shows its state`],
  })),
  {
    code: 'engine-denied',
    hint: 'The user that runs tallyman may not use the socket: add it to the group "docker".',
    held: {},
    says: ['The user that runs tallyman may not use the socket: add it to the group "docker"'],
  },
  {
    code: 'engine-denied',
    hint: 'Check the paths under "tls" of the site, and make sure that tallyman may read the files.',
    held: {},
    says: ['Check the paths under "tls" of the site, and make sure that tallyman may read the files'],
  },
  {
    code: 'engine-denied',
    hint: 'Renew the certificate, and put the new one and its key in place of the "cert" and the "key" under "tls" of the site. The next call to the engine uses them.',
    held: {
      'Renew the certificate, and put the new one and its key in place of the "cert" and the "key" under "tls" of the site':
        [
          'test/component/docker/api/tls.test.ts',
          'G13 is told with the date and the file where the certificate of Tallyman has expired, until it is renewed',
        ],
    },
    says: ['The next call to the engine uses them'],
  },
  {
    code: 'engine-denied',
    hint: 'Check that the "cert" under "tls" of the site is signed by the authority that the engine trusts, which dockerd is given as "tlscacert".',
    held: {
      'Check that the "cert" under "tls" of the site is signed by the authority that the engine trusts': [
        'test/integration/docker/edge/tls.test.ts',
        'is reached again as soon as the files are right, whatever they were in between',
      ],
    },
    says: ['which dockerd is given as "tlscacert"'],
  },
  {
    code: 'engine-denied',
    hint: 'Check that the "ca" under "tls" of the site is the authority that signed the certificate of the engine, and that this certificate is for the host of the endpoint and has not expired.',
    held: {
      'Check that the "ca" under "tls" of the site is the authority that signed the certificate of the engine':
        [
          'test/component/docker/api/tls.test.ts',
          'G13 is told to be the one whose certificate is not accepted, until the right authority is named',
        ],
    },
    says: ['and that this certificate is for the host of the endpoint and has not expired'],
  },
  {
    code: 'engine-denied',
    hint: 'Check that the files under "tls" of the site are PEM files, and that the "key" belongs to the "cert".',
    held: {
      'that the "key" belongs to the "cert"': [
        'test/component/docker/api/tls.test.ts',
        'G13 is not asked with a key that does not belong to the certificate, until they belong together',
      ],
    },
    says: ['Check that the files under "tls" of the site are PEM files, and'],
  },
])

/** Hints that say in words that nothing is to be done. */
export const nothingToDo = heldElsewhere([
  {
    code: 'wrong-usage',
    hint: 'No file under deployments/ names it. "tallyman status" says where it runs, and what becomes of it there.',
    held: {},
    says: [
      'No file under deployments/ names it',
      '"tallyman status" says where it runs, and what becomes of it there',
    ],
  },
  {
    code: 'environment-unread',
    hint: 'Nothing to do: versions are on record with the tallyman that writes, once it has made a pass. One that only observes has none.',
    held: {},
    says: [
      'Nothing to do',
      'versions are on record with the tallyman that writes',
      'once it has made a pass',
      'One that only observes has none',
    ],
  },
  {
    code: 'wrong-usage',
    hint: 'Nothing to do: it stays away there until a newer version comes, or somebody forces it.',
    held: {},
    says: ['Nothing to do', 'it stays away there until a newer version comes', 'or somebody forces it'],
  },
  {
    code: 'quarantined',
    hint: 'Nothing to do until the next pass: ann said "tallyman resume shop" at 2026-03-01T11:00:00.000Z.',
    held: {},
    says: [
      'Nothing to do until the next pass',
      'ann said "tallyman resume shop" at 2026-03-01T11:00:00.000Z',
    ],
  },
  {
    code: 'service-changed',
    held: {},
    says: ['Nothing to do', 'tallyman looks at it again, and plans anew'],
  },
  {
    code: 'metadata-unusable',
    held: {},
    says: ['Tallyman starts it by itself, in a container whose volume has the key; see docs/pods.md'],
  },
  {
    code: 'rollback-refused',
    held: {
      'Revert it by hand with git': [
        'test/integration/revert-commit/propose.test.ts',
        'A12 never changes another environment: what they share is refused, and they are named',
      ],
      'or hold the application with "tallyman rollback APP --now"': [
        'test/e2e/release/rollback.test.ts',
        'A6 A12 X8 is taken back at three in the morning, with git and the registry down, and held until resume',
      ],
    },
  },
  {
    code: 'rollback-refused',
    hint: 'Bring back the environment as a whole with "tallyman rollback --to COMMIT", or correct the manifest.',
    held: {
      'Bring back the environment as a whole with "tallyman rollback --to COMMIT"': [
        'test/integration/revert-commit/propose.test.ts',
        'E23 D15 brings back an environment that cannot be read, and no application of it alone',
      ],
      'or correct the manifest': [
        'test/integration/revert-commit/propose.test.ts',
        'E23 D15 brings back an environment that cannot be read, and no application of it alone',
      ],
    },
  },
  {
    code: 'push-impossible',
    held: {
      'Write the change to a file with --patch FILE, and commit it with "git am --keep-cr FILE"': [
        'test/integration/cli/rollback.test.ts',
        'A12 G19 pushes nothing that would be refused for want of a signature, and writes it for whoever can sign',
      ],
    },
  },
  {
    code: 'push-impossible',
    hint: 'Have git manage the directory, and set "ref" under "repository" to a branch.',
    held: {
      'Have git manage the directory, and set "ref" under "repository" to a branch': [
        'test/integration/cli/rollback.test.ts',
        'A12 says what it takes where no commit can be added',
      ],
    },
  },
  {
    code: 'push-refused',
    held: {
      'Give the login the right to push': [
        'test/integration/git/push.test.ts',
        'A12 is told from a login that may only read',
      ],
      'Or write the change to a file with --patch FILE, and commit it with "git am --keep-cr FILE"': [
        'test/integration/cli/rollback.test.ts',
        'A12 G19 pushes nothing that would be refused for want of a signature, and writes it for whoever can sign',
      ],
    },
  },
  {
    code: 'push-refused',
    hint: 'Wait until git is done there. If no git runs, a crash left the file behind: remove it.',
    held: {
      'If no git runs, a crash left the file behind: remove it': [
        'test/integration/git/push.test.ts',
        'A12 waits for nobody who holds the branch for long, and moves one that git has packed',
      ],
    },
    says: ['Wait until git is done there'],
  },
  {
    code: 'branch-moved',
    held: {
      'Run the same command again': [
        'test/integration/cli/rollback.test.ts',
        'A12 is made anew on top of what somebody pushed meanwhile, and gives up when that never ends',
      ],
    },
  },
  {
    code: 'internal',
    held: {},
    says: ['Report the message together with the log; there is nothing else to do'],
  },
  { code: 'superseded', held: {}, says: ['Nothing to do'] },
  {
    code: 'window-closed',
    held: {},
    says: ['Nothing to do; it goes on by itself when the window opens'],
  },
  {
    code: 'not-its-turn',
    held: {},
    says: ['Nothing has to be done', '"tallyman deployment NAME" shows what it waits for'],
  },
  {
    code: 'upgrade-deleted',
    held: {},
    says: [
      'Nothing to do until a newer version comes',
      '"tallyman force-upgrade" installs this one after all',
    ],
  },
  {
    code: 'watch-failed',
    held: {},
    says: [
      'Nothing to do. To have changes noticed at once again, raise the limit of the operating system (fs.inotify.max_user_watches)',
    ],
  },
  {
    code: 'commit-unreachable',
    hint: 'Nothing to do; tallyman reads the directory again by itself.',
    held: {},
    says: ['Nothing to do; tallyman reads the directory again by itself'],
  },
])
