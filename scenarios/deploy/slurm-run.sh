#!/usr/bin/env bash
# slurm-run.sh SCENARIO N DIR TARGET [OPTION...]: plays a scenario live against TARGET as one job of N tasks of Slurm that
# are granted together, and joins the parts when all of them have ended. DIR is a folder that all nodes share: DIR/parts has
# the parts, DIR/all the whole run. Options are those of `beaconswarm run`.
#
# Prints the number of the job and of the job that joins. All tasks begin at one instant, LEAD seconds (default 30) after
# the job was granted. A task that is not ready then sends nothing, and the joined run is invalid (96). Nothing is run
# again: the other parts' time is over. Before a time limit, have tasks end by themselves: SBATCH_SIGNAL=TERM@60.
set -euo pipefail
[ $# -ge 4 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 64; }
scenario=$1 count=$2 folder=$3 target=$4
# The name of a shipped scenario is no file, even where a folder has that name.
if [ -e "$scenario" ] && [ ! -d "$scenario" ]; then scenario=$(realpath "$scenario"); fi
shift 4
program=${BEACONSWARM:-beaconswarm}
mkdir -p "$folder"
folder=$(realpath "$folder")
# The words of a command line for any POSIX shell: sbatch --wrap runs them by /bin/sh, which knows no $'...'.
quoted() {
    local word mark="'" escaped="'\\''"
    for word; do printf "'%s' " "${word//$mark/"$escaped"}"; done
}
# The instant is the same for all tasks: the first process of the job says it, once the job has its nodes. The number of
# parts is told, never read from Slurm.
task="exec $program run $(quoted "$scenario" "$@")--target $(quoted "$target")--shard \$SLURM_PROCID/$count --at \$AT --out $(quoted "$folder/parts")--quiet"
job=$(sbatch --parsable --no-requeue --ntasks="$count" --job-name=beaconswarm --output="$folder/parts.log" \
    --wrap "export AT=\$(date -u -d '+${LEAD:-30} seconds' +%Y-%m-%dT%H:%M:%SZ); exec srun --kill-on-bad-exit=0 --label sh -c $(quoted "$task")")
# After any end: what is missing is said in the report.
merge=$(sbatch --parsable --dependency="afterany:$job" --job-name=beaconswarm-merge --output="$folder/merge.log" \
    --wrap "exec $program merge $(quoted "$folder/parts")--out $(quoted "$folder/all")")
echo "$job $merge"
