#include "build_stamp.h"

#ifndef BEACONSWARM_BUILD_COMMIT
#define BEACONSWARM_BUILD_COMMIT ""
#endif
#ifndef BEACONSWARM_BUILD_DATE
#define BEACONSWARM_BUILD_DATE ""
#endif

const char *beaconswarm_build_commit(void) { return BEACONSWARM_BUILD_COMMIT; }

const char *beaconswarm_build_date(void) { return BEACONSWARM_BUILD_DATE; }
