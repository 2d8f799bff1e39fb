# Campaigns: phases in order, tasks with dependencies, progress.

is_done(TaskID) :- task_status(TaskID, /done).

is_started(TaskID) :-
    task_status(TaskID, Status),
    Status != /open .

# --- Dependencies -------------------------------------------------------------------

depends_on(TaskID, NeededID) :- task_dependency(TaskID, NeededID).

depends_on(TaskID, NeededID) :-
    task_dependency(TaskID, MiddleID),
    MiddleID != NeededID,
    depends_on(MiddleID, NeededID).

dependency_cycle(TaskID) :- depends_on(TaskID, TaskID).

has_open_dependency(TaskID) :-
    task_dependency(TaskID, NeededID),
    !is_done(NeededID).

# --- Where the campaign stands --------------------------------------------------------

phase_task(PhaseID, TaskID) :- campaign_task(TaskID, PhaseID, _, _).

phase_is_open(PhaseID) :-
    phase_task(PhaseID, TaskID),
    !is_done(TaskID).

first_open_position(CampaignID, Position) :-
    campaign_phase(PhaseID, CampaignID, Each),
    phase_is_open(PhaseID)
    |> do fn:group_by(CampaignID),
       let Position = fn:min(Each).

current_phase(CampaignID, PhaseID) :-
    first_open_position(CampaignID, Position),
    campaign_phase(PhaseID, CampaignID, Position).

has_open_phase(CampaignID) :- current_phase(CampaignID, _).

campaign_is_done(CampaignID) :-
    campaign(CampaignID, _),
    !has_open_phase(CampaignID).

# --- The next task --------------------------------------------------------------------

is_ready(TaskID) :-
    current_phase(_, PhaseID),
    phase_task(PhaseID, TaskID),
    !is_started(TaskID),
    !has_open_dependency(TaskID),
    !dependency_cycle(TaskID).

ready_task(CampaignID, TaskID, Priority) :-
    is_ready(TaskID),
    campaign_task(TaskID, PhaseID, _, Priority),
    campaign_phase(PhaseID, CampaignID, _).

top_priority(CampaignID, Priority) :-
    ready_task(CampaignID, _, Each)
    |> do fn:group_by(CampaignID),
       let Priority = fn:max(Each).

next_task(CampaignID, TaskID) :-
    top_priority(CampaignID, Priority),
    ready_task(CampaignID, TaskID, Priority).

# --- Progress -------------------------------------------------------------------------

done_task(PhaseID, TaskID) :-
    phase_task(PhaseID, TaskID),
    is_done(TaskID).

tasks_total(PhaseID, Total) :-
    phase_task(PhaseID, _)
    |> do fn:group_by(PhaseID),
       let Total = fn:count().

tasks_done(PhaseID, Done) :-
    done_task(PhaseID, _)
    |> do fn:group_by(PhaseID),
       let Done = fn:count().

has_done_task(PhaseID) :- done_task(PhaseID, _).

phase_progress(PhaseID, Percent) :-
    tasks_done(PhaseID, Done),
    tasks_total(PhaseID, Total)
    |> let Hundredfold = fn:mult(Done, 100),
       let Percent = fn:div(Hundredfold, Total).

# A count is never 0: without rows there is no group. So the zero needs its own rule.
phase_progress(PhaseID, 0) :-
    campaign_phase(PhaseID, _, _),
    !has_done_task(PhaseID).
