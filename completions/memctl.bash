# Made by scripts/generate from the command tree; do not edit.
_memctl() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} path="" words="" i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$path ${COMP_WORDS[i]}" in
            " init"|" ingest"|" profile"|" capture-session"|" capture-conversation"|" inbox"|" promote"|" show"|" list"|" edit"|" confirm"|" correct"|" forget"|" revert"|" link"|" search"|" context"|" explain"|" consolidate"|" maintain"|" status"|" doctor"|" log"|" project"|" export"|" import"|" backup"|" restore"|" config"|" hook"|"profile set"|"profile list"|"profile unset"|"project list"|"project show"|"project alias"|"project link"|"project adopt") path=${path:+$path }${COMP_WORDS[i]} ;;
        esac
    done
    case "$path $prev" in
        " --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "init --project") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "init --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "ingest --file") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "ingest --type") COMPREPLY=($(compgen -W "profile project decision artifact episode task_hint" -- "$cur")); return ;;
        "ingest --scope") COMPREPLY=($(compgen -W "global project repo agent session" -- "$cur")); return ;;
        "ingest --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "profile set --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "profile list --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "profile unset --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "capture-session --cwd") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "capture-session --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "capture-conversation --cwd") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "capture-conversation --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "inbox --type") COMPREPLY=($(compgen -W "profile project decision artifact episode task_hint" -- "$cur")); return ;;
        "inbox --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "promote --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "show --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "list --type") COMPREPLY=($(compgen -W "profile project decision artifact episode task_hint" -- "$cur")); return ;;
        "list --status") COMPREPLY=($(compgen -W "inbox active superseded contradicted archived" -- "$cur")); return ;;
        "list --scope") COMPREPLY=($(compgen -W "global project repo agent session" -- "$cur")); return ;;
        "list --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "edit --type") COMPREPLY=($(compgen -W "profile project decision artifact episode task_hint" -- "$cur")); return ;;
        "edit --scope") COMPREPLY=($(compgen -W "global project repo agent session" -- "$cur")); return ;;
        "edit --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "confirm --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "correct --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "forget --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "revert --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "link --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "search --type") COMPREPLY=($(compgen -W "profile project decision artifact episode task_hint" -- "$cur")); return ;;
        "search --scope") COMPREPLY=($(compgen -W "global project repo agent session" -- "$cur")); return ;;
        "search --include") COMPREPLY=($(compgen -W "inbox superseded archived" -- "$cur")); return ;;
        "search --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "context --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "explain --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "consolidate --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "maintain --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "status --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "doctor --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "log --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "project list --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "project show --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "project alias --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "project link --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "project adopt --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "export --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "import --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "backup --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "restore --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "config --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "hook --db") COMPREPLY=($(compgen -f -- "$cur")); return ;;
        "ingest --kind"|"ingest --title"|"ingest --summary"|"ingest --rationale"|"ingest --alternative"|"ingest --subject"|"ingest --confidence"|"ingest --valid-from"|"ingest --valid-until"|"ingest --entity"|"ingest --project"|"ingest --agent"|"ingest --session"|"profile set --kind"|"capture-session --agent"|"capture-session --session"|"inbox --limit"|"inbox --offset"|"inbox --kind"|"inbox --project"|"inbox --source"|"inbox --min-confidence"|"inbox --max-confidence"|"inbox --approve"|"inbox --reject"|"inbox --reason"|"promote --reason"|"list --kind"|"list --project"|"list --agent"|"list --since"|"list --limit"|"list --offset"|"edit --kind"|"edit --title"|"edit --content"|"edit --summary"|"edit --subject"|"edit --rationale"|"edit --confidence"|"edit --valid-from"|"edit --valid-until"|"edit --reason"|"confirm --reason"|"correct --reason"|"correct --rationale"|"forget --reason"|"revert --seq"|"link --reason"|"search --kind"|"search --project"|"search --limit"|"search --since"|"search --as-of"|"search --min-confidence"|"search --why-not"|"search --agent"|"search --session"|"context --task"|"context --budget"|"context --level"|"context --since"|"context --project"|"context --agent"|"context --session"|"consolidate --project"|"log --limit"|"log --since"|"project link --reason") compopt +o default 2>/dev/null; return ;;
    esac
    case "$path" in
        "") words="init ingest profile capture-session capture-conversation inbox promote show list edit confirm correct forget revert link search context explain consolidate maintain status doctor log project export import backup restore config hook"; [[ $cur == -* ]] && words="--db --version -h --help" ;;
        "init") words=""; [[ $cur == -* ]] && words="--project --db --json -h --help" ;;
        "ingest") words=""; [[ $cur == -* ]] && words="--file --type --kind --scope --title --summary --rationale --alternative --subject --confidence --always-load --valid-from --valid-until --entity --project --global --agent --session --db --json -h --help" ;;
        "profile") words="set list unset"; [[ $cur == -* ]] && words="-h --help" ;;
        "profile set") words=""; [[ $cur == -* ]] && words="--kind --always-load --on-demand --db --json -h --help" ;;
        "profile list") words=""; [[ $cur == -* ]] && words="--db --json -h --help" ;;
        "profile unset") words=""; [[ $cur == -* ]] && words="--db --json -h --help" ;;
        "capture-session") words=""; [[ $cur == -* ]] && words="--agent --session --cwd --db --json -h --help" ;;
        "capture-conversation") words=""; [[ $cur == -* ]] && words="--cwd --db --json -h --help" ;;
        "inbox") words=""; [[ $cur == -* ]] && words="--all --limit --offset --type --kind --project --source --min-confidence --max-confidence --approve --approve-all --reject --reason --edit --review --dry-run --db --json -h --help" ;;
        "promote") words=""; [[ $cur == -* ]] && words="--reason --dry-run --db --json -h --help" ;;
        "show") words=""; [[ $cur == -* ]] && words="--db --json -h --help" ;;
        "list") words=""; [[ $cur == -* ]] && words="--type --kind --status --scope --project --agent --since --limit --offset --all --db --json -h --help" ;;
        "edit") words=""; [[ $cur == -* ]] && words="--type --kind --scope --title --content --summary --subject --rationale --confidence --always-load --on-demand --protect --unprotect --valid-from --valid-until --reason --editor --db --json -h --help" ;;
        "confirm") words=""; [[ $cur == -* ]] && words="--reason --db --json -h --help" ;;
        "correct") words=""; [[ $cur == -* ]] && words="--reason --rationale --db --json -h --help" ;;
        "forget") words=""; [[ $cur == -* ]] && words="--reason --dry-run --db --json -h --help" ;;
        "revert") words=""; [[ $cur == -* ]] && words="--seq --db --json -h --help" ;;
        "link") words="supports contradicts supersedes applies_to derived_from related_to"; [[ $cur == -* ]] && words="--reason --remove --db --json -h --help" ;;
        "search") words=""; [[ $cur == -* ]] && words="--type --kind --scope --project --global --all-projects --limit --include --since --as-of --min-confidence --explain --why-not --agent --session --db --json -h --help" ;;
        "context") words=""; [[ $cur == -* ]] && words="--task --budget --level --since --project --global --agent --session --db --json -h --help" ;;
        "explain") words=""; [[ $cur == -* ]] && words="--db --json -h --help" ;;
        "consolidate") words=""; [[ $cur == -* ]] && words="--dry-run --project --db --json -h --help" ;;
        "maintain") words=""; [[ $cur == -* ]] && words="--reindex --retry --dry-run --quiet -q --db --json -h --help" ;;
        "status") words=""; [[ $cur == -* ]] && words="--db --json -h --help" ;;
        "doctor") words=""; [[ $cur == -* ]] && words="--repair --yes -y --db --json -h --help" ;;
        "log") words="events retrievals changes"; [[ $cur == -* ]] && words="--limit --since --db --json -h --help" ;;
        "project") words="list show alias link adopt"; [[ $cur == -* ]] && words="-h --help" ;;
        "project list") words=""; [[ $cur == -* ]] && words="--db --json -h --help" ;;
        "project show") words=""; [[ $cur == -* ]] && words="--db --json -h --help" ;;
        "project alias") words=""; [[ $cur == -* ]] && words="--remove --db --json -h --help" ;;
        "project link") words=""; [[ $cur == -* ]] && words="--reason --remove --db --json -h --help" ;;
        "project adopt") words=""; [[ $cur == -* ]] && words="--db --json -h --help" ;;
        "export") words=""; [[ $cur == -* ]] && words="--db --json -h --help" ;;
        "import") words=""; [[ $cur == -* ]] && words="--dry-run --db --json -h --help" ;;
        "backup") words=""; [[ $cur == -* ]] && words="--db --json -h --help" ;;
        "restore") words=""; [[ $cur == -* ]] && words="--yes -y --db --json -h --help" ;;
        "config") words=""; [[ $cur == -* ]] && words="--example --path --show --db --json -h --help" ;;
        "hook") words=""; [[ $cur == -* ]] && words="--db --json -h --help" ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _memctl memctl
