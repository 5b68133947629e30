#!/usr/bin/env bash
# slurm-simulate.sh SCENARIO N DIR [OPTION...]: plays a scenario in virtual time as an array of N tasks of Slurm, and
# joins the parts when all of them have ended. DIR is a folder that all nodes share: DIR/parts has the parts, DIR/all the
# whole run. Options are those of `beaconswarm simulate`.
#
# Prints the number of the array and of the job that joins. A task that Slurm runs again (its node died) takes the next
# attempt at its part; a part that stays missing makes the joined run invalid (96) and is named in its report, with the
# command that plays it.
set -euo pipefail
[ $# -ge 3 ] || { sed -n '2,8s/^# //p' "$0" >&2; exit 64; }
scenario=$1 count=$2 folder=$3
# The name of a shipped scenario is no file, even where a folder has that name.
if [ -e "$scenario" ] && [ ! -d "$scenario" ]; then scenario=$(realpath "$scenario"); fi
shift 3
program=${BEACONSWARM:-beaconswarm}
mkdir -p "$folder"
folder=$(realpath "$folder")
# The words of a command line for any POSIX shell: sbatch --wrap runs them by /bin/sh, which knows no $'...'.
quoted() {
    local word mark="'" escaped="'\\''"
    for word; do printf "'%s' " "${word//$mark/"$escaped"}"; done
}
# The number of parts is told, never read from Slurm: for a task that is run again by itself, Slurm's own says 1.
array=$(sbatch --parsable --requeue --array="0-$((count - 1))" --job-name=beaconswarm --output="$folder/part-%a.log" \
    --open-mode=append --wrap "exec $program simulate $(quoted "$scenario" "$@")--shard \$SLURM_ARRAY_TASK_ID/$count --out $(quoted "$folder/parts")--quiet")
# After any end: what is missing is said in the report.
merge=$(sbatch --parsable --dependency="afterany:$array" --job-name=beaconswarm-merge --output="$folder/merge.log" \
    --wrap "exec $program merge $(quoted "$folder/parts")--out $(quoted "$folder/all")")
echo "$array $merge"
