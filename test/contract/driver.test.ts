import t from 'tap'
import type { DriverName } from '../../src/config/drivers.ts'
import { openBigqmtRig } from '../drivers/bigqmt/rig.ts'
import { openPaperRig } from '../drivers/fixtures/paper-rig.ts'
import { openForeignRig, openGatewayRig, openSilentGatewayRig } from '../drivers/gateway/rig.ts'
import { openXtRig } from '../drivers/xt/rig.ts'
import { type DriverRig, driverContract } from './driver.ts'

/** Every driver that is registered, a line each: without one the types do not hold. */
const RIGS: Readonly<Record<DriverName, (folder: string) => Promise<DriverRig>>> = {
  gateway: openGatewayRig,
  paper: openPaperRig,
  xt: (folder) => openXtRig(folder),
  bigqmt: (folder) => openBigqmtRig(folder),
}

/** And in other modes of theirs. */
const ALL = {
  ...RIGS,
  /** The oldest release, which differs most from the newest; those between are in `releases.test.ts`. */
  'xt 2022-09': (folder: string) => openXtRig(folder, '2022-09'),
  'gateway without a stream': openSilentGatewayRig,
  'gateway without keys': openForeignRig,
  'paper without pushes': (folder: string) => openPaperRig(folder, 'none'),
}

for (const [name, open] of Object.entries(ALL)) {
  t.test(name, async (t) => driverContract(t, () => open(t.testdir())))
}
