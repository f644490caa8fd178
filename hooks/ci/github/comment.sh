#!/usr/bin/env bash
# Keeps one comment with the report on the pull request: its own one that begins with the marker, or a new one when there is
# something to look at. A token that may not comment, as in pull requests from forks, is not a failure.
set -euo pipefail

if ! command -v gh > /dev/null; then
    echo "::notice title=icr impact::no comment was written: gh is not installed here"
    exit 0
fi
GH_HOST=${GITHUB_SERVER_URL#*://}
export GH_HOST

query='query($owner: String!, $name: String!, $number: Int!, $endCursor: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      comments(first: 100, after: $endCursor) {
        pageInfo { hasNextPage endCursor }
        nodes { databaseId body viewerDidAuthor }
      }
    }
  }
}'
# Anybody can write the marker into a comment, so only own comments are edited.
own='.data.repository.pullRequest.comments.nodes[]
  | select(.viewerDidAuthor and (.body | startswith("<!-- icr-impact -->"))) | .databaseId'

refused() {
    echo "::warning title=icr impact::no comment was written: the token needs pull-requests: write"
    exit 0
}

found=$(gh api graphql --paginate -f "query=$query" -f "owner=${GITHUB_REPOSITORY%%/*}" -f "name=${GITHUB_REPOSITORY#*/}" \
    -F "number=$NUMBER" --jq "$own") || refused
comment=${found%%$'\n'*}
if [ -n "$comment" ]; then
    gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$comment" -F "body=@$COMMENT_FILE" || refused
    exit 0
fi
if [ "$QUIET" != true ]; then
    gh api --silent --method POST "repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments" -F "body=@$COMMENT_FILE" || refused
fi
