import t from 'tap'
import { openBigqmtRig } from '../drivers/bigqmt/rig.ts'
import { openForeignRig, openSilentGatewayRig } from '../drivers/gateway/rig.ts'
import { driverContract } from './driver.ts'

/** Drivers in modes that take their time. */
const MODES = {
  'a script that is reached over files': (folder: string) =>
    openBigqmtRig(folder, { transport: 'files' }),
  'a gateway without a stream': openSilentGatewayRig,
  'a gateway without keys': openForeignRig,
}

for (const [name, open] of Object.entries(MODES)) {
  t.test(name, async (t) => driverContract(t, () => open(t.testdir())))
}
